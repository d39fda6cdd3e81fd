// Paints a schedule on a canvas. Lengths are in CSS pixels, but for bars, which are laid on whole device pixels: at most
// one box per pixel and row is drawn, however many bars there are.

const AXIS_HEIGHT = 38;
const FONT = '12px system-ui, "DejaVu Sans", Verdana, Arial, sans-serif';
const SMALL = '10px system-ui, "DejaVu Sans", Verdana, Arial, sans-serif';

// Okabe and Ito's colours, for jobs by turns, each with the ink that reads best on it.
const JOBS = [
  ['#0072b2', '#fff'], ['#d55e00', '#fff'], ['#009e73', '#fff'],
  ['#cc79a7', '#000'], ['#e69f00', '#000'], ['#56b4e9', '#000'],
];

// Styles in the order of painting: windows by job, local tasks, down time, tasks by job.
const WINDOWS = 0;
const LOCAL = JOBS.length;
const DOWN = LOCAL + 1;
const TASKS = DOWN + 1;
const STYLES = TASKS + JOBS.length;

function styleOf(rows, bar) {
  const colour = rows.job[bar] % JOBS.length;
  return [WINDOWS + colour, LOCAL, DOWN, TASKS + colour][rows.kind[bar]];
}

// The page's colours, which differ by day and night.
function theme(element) {
  const style = getComputedStyle(element);
  const named = (name) => style.getPropertyValue(name).trim();
  const [paper, ink, quiet, line] = ['--paper', '--ink', '--quiet', '--line'].map(named);
  const fills = [
    ...JOBS.map(([colour]) => colour + '66'), named('--local'), hatch(named('--down'), paper), ...JOBS.map(([colour]) => colour),
  ];
  return { paper, ink, quiet, line, fills, stripe: named('--stripe') };
}

function hatch(colour, paper) {
  const tile = Object.assign(document.createElement('canvas'), { width: 6, height: 6 });
  const context = tile.getContext('2d');
  context.fillStyle = paper;
  context.fillRect(0, 0, 6, 6);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  for (const x of [-6, 0, 6]) {
    context.moveTo(x - 1, 7);
    context.lineTo(x + 7, -1);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat');
}

class Painter {
  constructor(canvas, rows) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.rows = rows;
    this.boxes = Array.from({ length: STYLES }, () => []);
  }

  resize(width, height) {
    this.ratio = Math.min(3, devicePixelRatio || 1);
    [this.width, this.height] = [width, height];
    [this.canvas.width, this.canvas.height] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    this.context.font = FONT;
    const widest = this.rows.nodes.reduce((longest, name) => (name.length > longest.length ? name : longest), '');
    this.gutter = Math.min(this.context.measureText(widest).width + 14, width * 0.3, 160);
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
    this.plot = this.height - AXIS_HEIGHT;
    this.firstRow = Math.floor(state.scroll / state.rowHeight);
    this.lastRow = Math.min(this.rows.nodes.length, Math.ceil((state.scroll + this.plot) / state.rowHeight));
    context.save();
    context.beginPath();
    context.rect(0, 0, this.width, this.plot);
    context.clip();
    this.paintStripes(state, colours);
    const scale = ticks(state.view.from, state.view.to, (this.width - this.gutter) / 80);
    this.paintLines(scale.at, state.view, colours.line, 1);
    this.drawn = 0;
    if (this.rows.kept) {
      context.globalAlpha = 0.15;
      this.paintBars(state, colours, (bar) => !this.rows.kept[bar]);
      context.globalAlpha = 1;
      this.paintBars(state, colours, (bar) => this.rows.kept[bar]);
    } else {
      this.paintBars(state, colours, () => true);
    }
    this.paintLines(this.rows.cycles, state.view, colours.ink, 0.35);
    this.paintMarks(state, colours);
    this.paintChosen(state, colours);
    this.paintNames(state, colours);
    context.restore();
    this.paintAxis(scale, state.view, colours);
  }

  paintStripes(state, colours) {
    this.context.fillStyle = colours.stripe;
    for (let row = this.firstRow; row < this.lastRow; row++) {
      if (row % 2) this.context.fillRect(0, row * state.rowHeight - state.scroll, this.width, state.rowHeight);
    }
  }

  // Vertical lines, no denser than the eye can part.
  paintLines(times, view, colour, alpha) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    let last = -Infinity;
    for (const time of times) {
      const x = Math.round(this.x(time, view));
      if (x < this.gutter || x > this.width || x - last < 4) continue;
      context.fillRect(x, 0, 1, this.plot);
      last = x;
    }
    context.globalAlpha = 1;
  }

  paintBars(state, colours, wanted) {
    const { context, boxes, ratio } = this;
    const texts = [];
    for (const list of boxes) list.length = 0;
    for (let row = this.firstRow; row < this.lastRow; row++) {
      for (let kind = 0; kind < KIND_COUNT; kind++) this.layOut(row, kind, state, wanted, texts);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    boxes.forEach((list, style) => {
      context.fillStyle = colours.fills[style];
      for (let k = 0; k < list.length; k += 4) context.fillRect(list[k], list[k + 1], list[k + 2], list[k + 3]);
      this.drawn += list.length / 4;
    });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paintTexts(texts, state, colours);
  }

  // The boxes of one row's bars of one kind, in device pixels. A bar narrower than a pixel is drawn only if that pixel is still
  // free; bars that touch are parted by a pixel if they are wide enough, and drawn as one if they are not.
  layOut(row, kind, { view, rowHeight, scroll }, wanted, texts) {
    const { rows, boxes, ratio } = this;
    const inset = rowHeight < 8 ? 0 : kind === KINDS.task ? 3 : 1;
    const top = Math.round((row * rowHeight - scroll + inset) * ratio);
    const height = Math.max(1, Math.round((rowHeight - 2 * inset) * ratio) - (rowHeight < 8 ? 1 : 0));
    const left = Math.round(this.gutter * ratio);
    const right = Math.round(this.width * ratio);
    const scale = (right - left) / view.span;
    let [bar, end] = rows.after(row, kind, view.from);
    let done = left;
    let open = -1;
    for (; bar < end && rows.start[bar] < view.to; bar++) {
      if (!wanted(bar)) continue;
      let from = Math.max(left, Math.floor(left + (rows.start[bar] - view.from) * scale));
      const to = Math.min(right, Math.max(from + 1, Math.floor(left + (rows.end[bar] - view.from) * scale)));
      if (to <= done) continue;
      from = Math.max(from, done);
      const style = styleOf(rows, bar);
      const list = boxes[style];
      if (from === done && open === style && to - from < 4) {
        list[list.length - 2] += to - from;
      } else {
        const parted = to - from >= 4;
        list.push(from, top, to - from - (parted ? 1 : 0), height);
        open = parted ? -1 : style;
        if (rowHeight >= 14 && to - from > 24 * ratio && kind !== KINDS.window) texts.push(bar, from / ratio, (to - from) / ratio);
      }
      done = to;
    }
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
      context.fillStyle = rows.kind[bar] === KINDS.task ? JOBS[rows.job[bar] % JOBS.length][1] : colours.ink;
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
    const every = Math.ceil(15 / rowHeight);
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
  context.fillStyle = colours.fills[LOCAL];
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
