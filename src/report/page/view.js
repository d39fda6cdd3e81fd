// Which part of the time is in view.

// The least part of the whole that can fill the view.
const FINEST = 1e-6;

class View {
  constructor(from, to) {
    this.whole = { from, to };
    this.reset();
  }

  get span() {
    return this.to - this.from;
  }

  reset() {
    this.show(this.whole.from, this.whole.to);
  }

  // Shows a stretch of time, moved and cut to what there is.
  show(from, to) {
    const all = this.whole.to - this.whole.from;
    const span = Math.min(all, Math.max(all * FINEST, to - from));
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, this.whole.from), this.whole.to - span);
    this.to = this.from + span;
  }

  // Makes everything `factor` times as large; the instant `at` stays where it is.
  zoom(factor, at = (this.from + this.to) / 2) {
    const all = this.whole.to - this.whole.from;
    const span = Math.min(all, Math.max(all * FINEST, this.span / factor));
    const from = at - ((at - this.from) / this.span) * span;
    this.show(from, from + span);
  }

  pan(by) {
    this.show(this.from + by, this.to + by);
  }
}

// Round numbers between two instants, at most `most` of them, with the digits they need.
function ticks(from, to, most) {
  const rough = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((times) => times * power >= rough) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(k * step);
  return { at: found, text: (time) => time.toFixed(Math.min(20, digits)) };
}

// A time in a tooltip: to a millionth, as the simulation knows it.
function exact(time) {
  return String(Number(time.toFixed(6)));
}
