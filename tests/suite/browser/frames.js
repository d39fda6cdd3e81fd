// How long frames take while a large schedule is zoomed and moved; in tall rows and in low ones.

async function test() {
  say('bars', stage.getAttribute('aria-label'));
  for (const [name, prepare] of [['low rows', () => {}], ['tall rows', () => press('Tall rows')]]) {
    await prepare();
    await key('0');
    const [paints, frames] = [[], []];
    let last = performance.now();
    for (let k = 0; k < 120; k++) {
      const zoom = k % 60 < 30 ? '+' : '-';
      stage.dispatchEvent(new KeyboardEvent('keydown', { key: k % 5 === 4 ? 'ArrowRight' : zoom, bubbles: true, cancelable: true }));
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      paints.push(number('milliseconds'));
      const now = performance.now();
      frames.push((now - last) / 2);
      last = now;
    }
    const text = (times) => {
      times.sort((a, b) => a - b);
      return [0.5, 0.95, 1].map((share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1)).join(' / ');
    };
    say(`${name}, ms to paint (median / 95 % / most)`, text(paints));
    say(`${name}, ms per frame (median / 95 % / most)`, text(frames));
    await key('0');
    say(`${name}, boxes`, number('drawn'));
  }
}
