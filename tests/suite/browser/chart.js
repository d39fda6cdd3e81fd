// The chart with every control it has. Its four nodes have a bar of each kind; the view is 0 to 100 at first.

async function test() {
  say('whole', view());
  say('rows', `${number('firstRow')} ${number('lastRow')}`);
  say('label', stage.getAttribute('aria-label'));
  say('legend', [...figure.querySelectorAll('li')].map((item) => item.textContent).join('; '));
  const [gutter, width] = [gutterWidth(), canvas.clientWidth];
  const x = (time) => gutter + ((time - number('from')) / (number('to') - number('from'))) * (width - gutter);
  const middle = (row) => (row + 0.5) * 22;

  document.activeElement.blur();
  await wheel(x(30), -100);
  say('wheel without focus', view());
  stage.focus();
  say('focus', document.activeElement === stage);
  const before = x(30);
  await wheel(before, -500);
  say('wheel zooms in', number('to') - number('from') < 60);
  say('the time under the wheel stays', Math.abs(x(30) - before) < 3);
  await wheel(before, 5000);
  say('wheel zooms out', view());

  await key('+');
  say('plus', view());
  await key('ArrowRight');
  say('right', view());
  await key('ArrowLeft');
  await key('-');
  say('minus', view());
  await key('+');
  await key('0');
  say('zero', view());
  await press('Zoom in');
  say('button', view());
  const from = number('from');
  await pointer('pointerdown', x(50), middle(0), { buttons: 1 });
  await pointer('pointermove', x(50) + 80, middle(0), { buttons: 1 });
  await pointer('pointerup', x(50), middle(0));
  say('drag moves back', number('from') < from);
  await press('Show the whole time');
  say('all', view());

  for (const [name, at, row] of [['local', 5, 0], ['task', 30, 1], ['down', 70, 2], ['window', 41, 1], ['mark', 55, 3]]) {
    await pointer('pointermove', x(at), middle(row));
    say(`tip of ${name}`, tip.hidden ? 'none' : [...tip.children].map((line) => line.textContent).join('; '));
  }
  await pointer('pointermove', x(95), middle(0));
  say('tip of nothing', tip.hidden ? 'none' : tip.textContent);

  const spots = [[30, 1], [75, 3]].map(([time, row]) => [x(time), middle(row)]);
  const plain = spots.map((spot) => pixel(...spot));
  await type('ALPHA');
  say('matches', number('matches'));
  say('kept as it was, dimmed', spots.map((spot, k) => pixel(...spot) === plain[k]).join(' '));
  await key('Enter', search);
  say('enter shows the job', view());
  await type('a');
  say('part of a name', number('matches'));
  await press('Clear the job');
  say('cleared', `${number('matches')} ${search.value === ''}`);
  await key('0');
  say('as before', spots.map((spot, k) => pixel(...spot) === plain[k]).join(' '));

  await key('n');
  await key('N');
  say('chosen by key', `${number('chosen')} ${tip.hidden ? '' : tip.firstChild.textContent}`);
  await key('Escape');
  say('escape', tip.hidden);
  await act(canvas, new MouseEvent('dblclick', place(x(30), middle(1))));
  say('double click', search.value);
  await press('Clear the job');

  const touch = (kind, id, time, shift) =>
    pointer(kind, x(time) + shift, middle(0), { pointerId: id, pointerType: 'touch', buttons: 1 });
  canvas.setPointerCapture = () => {};
  const left = x(40);
  await touch('pointerdown', 11, 40, 0);
  await touch('pointerdown', 12, 60, 0);
  await act(canvas, new PointerEvent('pointermove', { ...place(left - 200, middle(0)), pointerId: 11, pointerType: 'touch', buttons: 1 }));
  say('pinch zooms in', number('to') - number('from') < 90);
  await touch('pointerup', 11, 40, 0);
  await touch('pointerup', 12, 60, 0);
}

// Where the bars begin: right of the line beside the names.
function gutterWidth() {
  const row = pixels(0, 0, 600);
  let k = 0;
  while (row[4 * k] === row[0] && row[4 * k + 1] === row[1]) k++;
  return k + 1;
}
