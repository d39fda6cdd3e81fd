// The searches behind the chart against looking at every bar, on made-up schedules whose bars overlap; and the view's laws.

let seed = 1;
const random = (below) => {
  seed = (seed * 48271) % 2147483647;
  return seed % below;
};
const count = (times, holds) => {
  let right = 0;
  for (let k = 0; k < times; k++) right += holds() ? 1 : 0;
  return `${right} of ${times} right`;
};

function madeUp() {
  const bars = Array.from({ length: random(60) }, () => {
    const start = random(100);
    return { node: random(3), kind: random(4), start, end: start + random(30), job: random(4), label: 0 };
  });
  bars.sort((a, b) => a.node - b.node || a.kind - b.kind || a.start - b.start || a.end - b.end);
  const column = (name) => bars.map((bar) => bar[name]);
  const columns = Object.fromEntries(['node', 'kind', 'start', 'end', 'job', 'label'].map((name) => [name, column(name)]));
  const rows = new Rows({
    title: '', time: '', nodes: ['a', 'b', 'c'], kinds: [], words: ['', 'x', 'y', 'z'], bars: columns,
    marks: { node: [], time: [], what: [] }, cycles: [],
  });
  return [bars, rows];
}

async function test() {
  let hits = 0;
  say('searches', count(4000, () => {
    const [bars, rows] = madeUp();
    const [node, kind, time, slack] = [random(3), random(4), random(110), random(2)];
    const name = ['', 'x', 'Y'][random(3)];
    rows.filter(name);
    const kept = (bar) => !name || bar.job === { x: 1, y: 2 }[name.toLowerCase()];
    if (rows.keptCount !== (name ? bars.filter(kept).length : 0)) return false;
    const [first, end] = rows.after(node, kind, time);
    const later = bars.filter((bar) => bar.node === node && bar.kind === kind && bar.end > time);
    if (!later.every((bar) => bars.indexOf(bar) >= first && bars.indexOf(bar) < end)) return false;
    if (first < end && bars[first].end <= time) return false;
    const bar = rows.at(node, time, slack);
    const touches = (bar) => bar.node === node && bar.start <= time + slack && bar.end > time - slack;
    const under = bars.filter(touches);
    if (bar < 0) return under.length === 0;
    hits++;
    const wanted = under.some(kept) ? under.filter(kept) : under;
    return kept(bars[bar]) === under.some(kept) && bars[bar].kind === Math.max(...wanted.map((other) => other.kind));
  }));
  say('hits', hits);
  const view = new View(10, 110);
  say('views', count(2000, () => {
    const at = view.from + (view.span * random(100)) / 100;
    const before = (at - view.from) / view.span;
    const inside = () => view.from >= 10 - 1e-9 && view.to <= 110 + 1e-9 && view.span > 0;
    if (random(2)) {
      view.pan((random(200) - 100) / 10);
      return inside();
    }
    view.zoom([0.5, 0.9, 1.3, 2][random(4)], at);
    const free = view.from > 10 && view.to < 110;
    return inside() && (!free || Math.abs((at - view.from) / view.span - before) < 1e-6);
  }));
  say('ticks', count(2000, () => {
    const from = (random(100000) - 50000) / 7;
    const to = from + 10 ** (random(9) - 4);
    const most = 1 + random(15);
    const { at, text } = ticks(from, to, most);
    const steps = at.slice(1).map((time, k) => time - at[k]);
    const even = steps.every((step) => Math.abs(step - steps[0]) < 1e-6 * steps[0] + 1e-9);
    return at.length <= most + 1 && at.every((time) => time >= from - 1e-9 && time <= to + 1e-9) && even && new Set(at.map(text)).size === at.length;
  }));
}
