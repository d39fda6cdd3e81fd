// How long frames take while a large schedule is looked around in.

async function test() {
  say('bars', stage.getAttribute('aria-label'));
  const press_key = (name) => stage.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  const zoom = (k) => press_key(k % 5 === 4 ? 'ArrowRight' : k % 30 < 15 ? '+' : '-');
  await measure('zooming', zoom);
  await key('0');
  await measure('everything in view', () => press_key('n'));
  say('bars in view', number('drawn'));
  await type('7');
  await measure('everything in view, filtered', () => press_key('n'));
  await press('Clear the job');
  await press('Tall rows');
  await measure('zooming in tall rows', zoom);
}

async function measure(name, act) {
  const [paints, frames] = [[], []];
  let last = await new Promise(requestAnimationFrame);
  for (let k = 0; k < 60; k++) {
    act(k);
    const now = await new Promise(requestAnimationFrame);
    paints.push(number('milliseconds'));
    frames.push(now - last);
    last = now;
  }
  const told = (times) => {
    times.sort((a, b) => a - b);
    return [0.5, 0.95, 1].map((share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1)).join(' / ');
  };
  say(`${name}, ms to paint (median / 95 % / most)`, told(paints));
  say(`${name}, ms per frame (median / 95 % / most)`, told(frames));
}
