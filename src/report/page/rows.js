// The data of a schedule, laid out for drawing: bars stand in order of node, kind and start, so that what
// a row shows of a stretch of time is found by binary search.

const KINDS = { window: 0, local: 1, down: 2, task: 3 };
const KIND_COUNT = 4;

class Rows {
  constructor(data) {
    this.title = data.title;
    this.timeLabel = data.time;
    this.nodes = data.nodes;
    this.kinds = data.kinds;
    this.words = data.words;
    this.cycles = Float64Array.from(data.cycles).sort();
    this.marks = data.marks;
    const bars = data.bars;
    this.count = bars.node.length;
    this.node = Uint32Array.from(bars.node);
    this.kind = Uint8Array.from(bars.kind);
    this.start = Float64Array.from(bars.start);
    this.end = Float64Array.from(bars.end);
    this.job = Uint32Array.from(bars.job);
    // Colours go by the jobs of all schedules of the page, where there are several.
    this.hue = Uint32Array.from(bars.job, (job) => data.hues?.[job] ?? job);
    this.label = Uint32Array.from(bars.label);
    this.index();
    this.marksOf = new Map();
    this.marks.node.forEach((node, mark) => {
      if (!this.marksOf.has(node)) this.marksOf.set(node, []);
      this.marksOf.get(node).push(mark);
    });
    // Which bars the filter keeps, while there is one.
    this.kept = null;
    this.keptCount = 0;
  }

  // Where the bars of each node and kind begin, and how far any of them reaches up to each bar. The reach never
  // falls, so that it can be searched even where bars overlap.
  index() {
    this.first = new Uint32Array(this.nodes.length * KIND_COUNT + 1);
    this.reach = new Float64Array(this.count);
    for (let bar = 0; bar < this.count; bar++) this.first[this.node[bar] * KIND_COUNT + this.kind[bar] + 1]++;
    for (let group = 1; group < this.first.length; group++) this.first[group] += this.first[group - 1];
    let [from, to] = [Infinity, -Infinity];
    for (let group = 0; group + 1 < this.first.length; group++) {
      let reach = -Infinity;
      for (let bar = this.first[group]; bar < this.first[group + 1]; bar++) {
        reach = Math.max(reach, this.end[bar]);
        this.reach[bar] = reach;
        from = Math.min(from, this.start[bar]);
      }
      to = Math.max(to, reach);
    }
    for (const time of [...this.cycles, ...this.marks.time]) {
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
    // A run begins at zero, though the first bar may be a little later.
    const nearZero = from > 0 && from < 0.1 * (to - from);
    this.from = from < Infinity && !nearZero ? from : 0;
    this.to = to > this.from ? to : this.from + 1;
  }

  // The first bar of a node and kind that ends after `time`, and the end of that group.
  after(node, kind, time) {
    const group = node * KIND_COUNT + kind;
    const end = this.first[group + 1];
    let [low, high] = [this.first[group], end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.reach[middle] > time) high = middle;
      else low = middle + 1;
    }
    return [low, end];
  }

  // The bar on top at a time, give or take `slack`; -1 for none. What the filter keeps comes first.
  at(node, time, slack) {
    let found = -1;
    for (let kind = KIND_COUNT - 1; kind >= 0; kind--) {
      const [low, end] = this.after(node, kind, time - slack);
      for (let bar = low; bar < end && this.start[bar] <= time + slack; bar++) {
        if (this.end[bar] <= time - slack) continue;
        if (!this.kept || this.kept[bar]) return bar;
        if (found < 0) found = bar;
      }
    }
    return found;
  }

  // Keeps the bars of the job of that name or, where there is none, of all jobs whose names contain the text.
  filter(text) {
    const wanted = text.trim().toLowerCase();
    this.kept = null;
    this.keptCount = 0;
    if (!wanted) return;
    const names = this.words.map((word) => word.toLowerCase());
    const jobs = new Set(this.job);
    jobs.delete(0);
    const exact = [...jobs].filter((job) => names[job] === wanted);
    const matching = new Set(exact.length ? exact : [...jobs].filter((job) => names[job].includes(wanted)));
    this.kept = Uint8Array.from(this.job, (job) => (matching.has(job) ? 1 : 0));
    this.keptCount = this.kept.reduce((sum, kept) => sum + kept, 0);
  }

  // The next bar, or with a step of -1 the one before, that the filter keeps.
  step(bar, step) {
    for (let next = bar + step; next >= 0 && next < this.count; next += step) {
      if (!this.kept || this.kept[next]) return next;
    }
    return bar;
  }

  // The share of rows in use in each of so many parts of the time.
  density(parts) {
    const used = new Float64Array(parts);
    const scale = parts / (this.to - this.from);
    for (let bar = 0; bar < this.count; bar++) {
      if (this.kind[bar] === KINDS.window) continue;
      const [a, b] = [(this.start[bar] - this.from) * scale, (this.end[bar] - this.from) * scale];
      for (let part = Math.floor(a); part < b && part < parts; part++) {
        used[part] += Math.min(b, part + 1) - Math.max(a, part);
      }
    }
    return used.map((sum) => Math.min(1, sum / Math.max(1, this.nodes.length)));
  }
}
