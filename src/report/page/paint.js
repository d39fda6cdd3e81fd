// Paints a schedule on a canvas. Lengths are in CSS pixels, but for bars, which are written into an image in whole
// device pixels: that takes about as long for fifty thousand bars as for fifty.

const AXIS_HEIGHT = 38;
const FONT = '12px system-ui, "DejaVu Sans", Verdana, Arial, sans-serif';
const SMALL = '10px system-ui, "DejaVu Sans", Verdana, Arial, sans-serif';

// Okabe and Ito's colours, for jobs by turns, each with the ink that reads best on it.
const JOBS = [
  ['#0072b2', '#fff'], ['#d55e00', '#fff'], ['#009e73', '#fff'],
  ['#cc79a7', '#000'], ['#e69f00', '#000'], ['#56b4e9', '#000'],
];
// The share of its colour that a window has, and that of a bar that the filter does not keep.
const WINDOW_SHARE = 0.4;
const DIM_SHARE = 0.15;

// So much of one colour, the rest of another; colours are written #rrggbb.
function mix(colour, paper, share) {
  const part = (text, k) => parseInt(text.slice(2 * k + 1, 2 * k + 3), 16);
  const mixed = (k) => Math.round(share * part(colour, k) + (1 - share) * part(paper, k));
  return '#' + [0, 1, 2].map((k) => mixed(k).toString(16).padStart(2, '0')).join('');
}

// A colour as images hold it: blue, green and red in one number, and opaque.
function packed(colour) {
  const [red, green, blue] = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// The page's colours, which differ by day and night; of each kind of bar, by job.
function theme(element) {
  const style = getComputedStyle(element);
  const [paper, ink, quiet, line, stripe, local, down] = ['paper', 'ink', 'quiet', 'line', 'stripe', 'local', 'down'].map((name) =>
    style.getPropertyValue('--' + name).trim());
  const bars = [];
  bars[KINDS.window] = JOBS.map(([colour]) => mix(colour, paper, WINDOW_SHARE));
  bars[KINDS.local] = JOBS.map(() => local);
  bars[KINDS.down] = JOBS.map(() => down);
  bars[KINDS.task] = JOBS.map(([colour]) => colour);
  const inks = (share) => bars.map((colours) => colours.map((colour) => packed(mix(colour, paper, share))));
  return { paper, ink, quiet, line, stripe, bars, full: inks(1), dim: inks(DIM_SHARE) };
}

class Painter {
  constructor(canvas, rows) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.rows = rows;
  }

  resize(width, height) {
    this.ratio = Math.min(3, devicePixelRatio || 1);
    [this.width, this.height, this.plot] = [width, height, Math.max(1, height - AXIS_HEIGHT)];
    [this.canvas.width, this.canvas.height] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    this.context.font = FONT;
    const widest = this.rows.nodes.reduce((longest, name) => (name.length > longest.length ? name : longest), '');
    this.gutter = Math.min(this.context.measureText(widest).width + 14, width * 0.3, 160);
    this.image = this.context.createImageData(Math.max(1, this.canvas.width), Math.ceil(this.plot * this.ratio));
    this.pixels = new Uint32Array(this.image.data.buffer);
    // Lines of pixels of which a row is made: its background, with bars, and with tasks over them.
    [this.bare, this.outer, this.inner] = [0, 1, 2].map(() => new Uint32Array(this.image.width));
  }

  x(time, view) {
    return this.gutter + ((time - view.from) / view.span) * (this.width - this.gutter);
  }

  time(x, view) {
    return view.from + ((x - this.gutter) / (this.width - this.gutter)) * view.span;
  }

  // Everything. `state` holds the view, the height of rows, how far down they are scrolled, and the chosen bar.
  paint(state, colours) {
    const { context, ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.width, this.height);
    this.firstRow = Math.floor(state.scroll / state.rowHeight);
    this.lastRow = Math.min(this.rows.nodes.length, Math.ceil((state.scroll + this.plot) / state.rowHeight));
    const scale = ticks(state.view.from, state.view.to, (this.width - this.gutter) / 80);
    const texts = this.paintRows(state, colours, scale.at);
    context.save();
    context.beginPath();
    context.rect(0, 0, this.width, this.plot);
    context.clip();
    this.paintTexts(texts, state, colours);
    this.paintCycles(state.view, colours);
    this.paintMarks(state, colours);
    this.paintChosen(state, colours);
    this.paintNames(state, colours);
    context.restore();
    this.paintAxis(scale, state.view, colours);
  }

  // The bars; returns those that are wide enough for text.
  paintRows(state, colours, grid) {
    const { rows, pixels, image, ratio, bare, outer, inner } = this;
    const { view, rowHeight, scroll } = state;
    const [paper, stripe, line] = [colours.paper, colours.stripe, colours.line].map(packed);
    const lines = grid.map((time) => Math.round(this.x(time, view) * ratio));
    const texts = [];
    this.drawn = 0;
    pixels.fill(paper);
    for (let row = this.firstRow; row < this.lastRow; row++) {
      bare.fill(row % 2 ? stripe : paper);
      for (const x of lines) bare[x] = line;
      outer.set(bare);
      inner.set(bare);
      const passes = rows.kept ? [[colours.dim, 0], [colours.full, 1]] : [[colours.full, -1]];
      for (const [inks, kept] of passes) {
        for (let kind = 0; kind < KIND_COUNT; kind++) this.paintBars(row, kind, view, inks, kept, rowHeight >= 14 ? texts : null);
      }
      // Bars leave a gap to the next row, and tasks show the window around them, where rows are high enough.
      const [top, bottom] = [row, row + 1].map((edge) => Math.round((edge * rowHeight - scroll) * ratio));
      const [gap, rim] = rowHeight < 8 ? [0, 0] : [Math.round(ratio), Math.round(3 * ratio)];
      for (let y = Math.max(0, top); y < Math.min(bottom, image.height); y++) {
        const depth = Math.min(y - top, bottom - 1 - y);
        const last = rowHeight < 8 && y === bottom - 1;
        pixels.set(depth < gap || last ? bare : depth < rim ? outer : inner, y * image.width);
      }
    }
    this.context.putImageData(image, 0, 0);
    return texts;
  }

  // One row's bars of one kind. Each has at least a pixel, if that is still free; wide ones are parted by a pixel. Down
  // time is hatched.
  paintBars(row, kind, view, inks, kept, texts) {
    const { rows, outer, inner, ratio } = this;
    const [left, right] = [Math.round(this.gutter * ratio), this.image.width];
    const scale = (right - left) / view.span;
    let [bar, end] = rows.after(row, kind, view.from);
    let done = left;
    for (; bar < end && rows.start[bar] < view.to; bar++) {
      if (kept >= 0 && rows.kept[bar] !== kept) continue;
      let from = Math.max(left, Math.floor(left + (rows.start[bar] - view.from) * scale));
      const to = Math.min(right, Math.max(from + 1, Math.floor(left + (rows.end[bar] - view.from) * scale)));
      if (to <= done) continue;
      from = Math.max(from, done);
      done = to;
      this.drawn++;
      const ink = inks[kind][rows.hue[bar] % JOBS.length];
      const last = to - from >= 4 ? to - 1 : to;
      const step = kind === KINDS.down ? 3 : 1;
      for (let x = from; x < last; x += step) {
        inner[x] = ink;
        if (kind !== KINDS.task) outer[x] = ink;
      }
      if (texts && to - from > 24 * ratio && kind !== KINDS.window) texts.push(bar, from / ratio, (to - from) / ratio);
    }
  }

  // Lines where cycles begin, no denser than the eye can part.
  paintCycles(view, colours) {
    const { context } = this;
    context.globalAlpha = 0.35;
    context.fillStyle = colours.ink;
    let last = -Infinity;
    for (const time of this.rows.cycles) {
      const x = Math.round(this.x(time, view));
      if (x < this.gutter || x > this.width || x - last < 4) continue;
      context.fillRect(x, 0, 1, this.plot);
      last = x;
    }
    context.globalAlpha = 1;
  }

  paintTexts(texts, { rowHeight, scroll }, colours) {
    const { context, rows } = this;
    context.font = SMALL;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (let k = 0; k < texts.length; k += 3) {
      const [bar, x, room] = [texts[k], texts[k + 1], texts[k + 2]];
      const text = rows.words[rows.job[bar] || rows.label[bar]];
      if (!text || context.measureText(text).width > room - 8) continue;
      context.fillStyle = rows.kind[bar] === KINDS.task ? JOBS[rows.hue[bar] % JOBS.length][1] : colours.ink;
      context.fillText(text, x + 4, (rows.node[bar] + 0.5) * rowHeight - scroll + 0.5);
    }
  }

  // A cross for every collision, with a rim so that it stands out on any bar.
  paintMarks({ view, rowHeight, scroll }, colours) {
    const { context, rows } = this;
    const size = Math.min(4.5, rowHeight / 2);
    const cross = new Path2D();
    for (let row = this.firstRow; row < this.lastRow; row++) {
      for (const mark of rows.marksOf.get(row) ?? []) {
        const [x, y] = [this.x(rows.marks.time[mark], view), (row + 0.5) * rowHeight - scroll];
        if (x < this.gutter || x > this.width) continue;
        cross.moveTo(x - size, y - size);
        cross.lineTo(x + size, y + size);
        cross.moveTo(x - size, y + size);
        cross.lineTo(x + size, y - size);
      }
    }
    for (const [colour, width] of [[colours.paper, 4.5], [colours.ink, 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke(cross);
    }
  }

  paintChosen({ view, rowHeight, scroll, chosen }, colours) {
    if (chosen < 0) return;
    const { context, rows } = this;
    const from = Math.max(this.gutter, this.x(rows.start[chosen], view));
    const to = Math.min(this.width, this.x(rows.end[chosen], view));
    if (to < from) return;
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(from - 1, rows.node[chosen] * rowHeight - scroll, Math.max(3, to - from + 1), rowHeight);
  }

  // The names of the rows, as many as can be read.
  paintNames({ rowHeight, scroll }, colours) {
    const { context, rows } = this;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.gutter, this.plot);
    context.fillStyle = colours.line;
    context.fillRect(this.gutter - 1, 0, 1, this.plot);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = colours.quiet;
    const every = Math.ceil(18 / rowHeight);
    for (let row = Math.ceil(this.firstRow / every) * every; row < this.lastRow; row += every) {
      const y = Math.max((row + 0.5) * rowHeight - scroll, 7);
      context.fillText(this.fitted(rows.nodes[row], this.gutter - 12), this.gutter - 8, y);
    }
  }

  // As much of the text's end as there is room for: that is where names differ.
  fitted(text, room) {
    if (this.context.measureText(text).width <= room) return text;
    let start = 1;
    while (start < text.length && this.context.measureText('…' + text.slice(start)).width > room) start++;
    return '…' + text.slice(start);
  }

  paintAxis(scale, view, colours) {
    const { context } = this;
    context.fillStyle = colours.line;
    context.fillRect(this.gutter - 1, this.plot, this.width - this.gutter + 1, 1);
    context.fillStyle = colours.quiet;
    context.font = FONT;
    context.textBaseline = 'top';
    for (const time of scale.at) {
      const x = this.x(time, view);
      context.textAlign = x > this.width - 24 ? 'right' : x < this.gutter + 12 ? 'left' : 'center';
      context.fillText(scale.text(time), x, this.plot + 5);
    }
    context.textAlign = 'center';
    context.fillStyle = colours.ink;
    context.fillText(this.rows.timeLabel, (this.gutter + this.width) / 2, this.plot + 21);
  }
}

// The whole time on a strip: how many rows are in use, and which part is in view.
function paintOverview(canvas, density, view, gutter, colours) {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  const room = width - gutter;
  context.fillStyle = colours.stripe;
  context.fillRect(gutter, 0, room, height);
  context.fillStyle = colours.bars[KINDS.local][0];
  density.forEach((share, part) => {
    const x = gutter + (part / density.length) * room;
    context.fillRect(x, height * (1 - share), room / density.length + 0.5, height * share);
  });
  const all = view.whole.to - view.whole.from;
  const from = gutter + ((view.from - view.whole.from) / all) * room;
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.5;
  context.strokeRect(from + 1, 1, Math.max(3, (view.span / all) * room - 2), height - 2);
}
