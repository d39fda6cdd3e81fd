// The chart: builds its parts around the data that the page holds, and turns what the user does into a new view.

const TALL_ROW = 22;
const LOWEST_ROW = 4;
// The greatest height of the chart, and the greatest part of the window that it takes.
const HIGHEST = 510;
const WINDOW_PART = 0.7;

class Chart {
  constructor(figure, number) {
    this.figure = figure;
    this.rows = new Rows(JSON.parse(figure.querySelector('script').textContent));
    this.view = new View(this.rows.from, this.rows.to);
    this.chosen = -1;
    this.tall = false;
    this.build(number);
    this.painter = new Painter(this.canvas, this.rows);
    this.listen();
    this.recolour();
    this.resize();
  }

  build(number) {
    const button = (text, name, act) => {
      const made = element('button', { type: 'button', 'aria-label': name, title: name }, text);
      made.addEventListener('click', act);
      return made;
    };
    this.search = element('input', { type: 'search', placeholder: 'name', 'aria-label': 'Show the job of this name' });
    this.tallButton = button('Tall rows', 'Tall rows', () => this.setTall(!this.tall));
    this.hint = element('p', { class: 'hint', id: `schedule-hint-${number}` },
      'Click the chart, then turn the wheel to zoom; drag to move, pinch on a touch screen. Keys: + and − zoom, arrows move, ',
      'N and P step through bars, 0 shows everything.');
    const jobs = element('span', { class: 'jobs' },
      element('label', {}, 'Job ', this.search), button('Clear', 'Clear the job', () => this.find('')));
    jobs.hidden = !this.rows.job.some((job) => job);
    if (!jobs.hidden) this.hint.append(' Enter in the job field goes to the job; a double click picks one.');
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.sheet = element('div', {}, this.canvas);
    this.stage = element('div', {
      class: 'stage', tabindex: '0', role: 'application', 'aria-roledescription': 'schedule chart',
      'aria-label': `${this.rows.title}: ${this.rows.nodes.length} nodes, ${this.rows.count} bars`, 'aria-describedby': this.hint.id,
    }, this.sheet);
    this.overview = element('canvas', { class: 'overview', 'aria-hidden': 'true' });
    this.status = element('p', { class: 'status', role: 'status' });
    this.tip = element('div', { class: 'tip', role: 'status', hidden: '' });
    this.legend = element('ul', { 'aria-label': 'Legend' });
    const bar = element('div', { class: 'bar' },
      jobs,
      button('+', 'Zoom in', () => this.zoom(2)),
      button('−', 'Zoom out', () => this.zoom(0.5)),
      button('Show all', 'Show the whole time', () => this.reset()),
      this.tallButton);
    this.tallButton.setAttribute('aria-pressed', 'false');
    this.figure.prepend(bar, this.stage, this.overview, this.legend, this.status, this.hint, this.tip);
  }

  listen() {
    const { stage, search } = this;
    search.addEventListener('input', () => this.find(search.value));
    search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.goToKept();
      if (event.key === 'Escape') this.find('');
    });
    stage.addEventListener('keydown', (event) => this.key(event));
    stage.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    stage.addEventListener('scroll', () => {
      // A hidden chart loses its place.
      if (stage.clientHeight) this.scrolled = stage.scrollTop;
      this.redraw();
    });
    stage.addEventListener('dblclick', (event) => {
      const bar = this.barAt(event);
      if (bar >= 0 && this.rows.job[bar]) this.find(this.rows.words[this.rows.job[bar]]);
    });
    this.listenToPointers();
    const seek = (event) => {
      if (event.type === 'pointermove' && !event.buttons) return;
      const box = this.overview.getBoundingClientRect();
      const share = (event.clientX - box.left - this.painter.gutter) / (box.width - this.painter.gutter);
      const time = this.rows.from + share * (this.rows.to - this.rows.from);
      this.view.show(time - this.view.span / 2, time + this.view.span / 2);
      this.redraw();
    };
    for (const type of ['pointerdown', 'pointermove']) this.overview.addEventListener(type, seek);
    new ResizeObserver(() => this.resize()).observe(stage);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolour());
  }

  // One pointer drags; two zoom by their distance; a mouse that is not pressed asks what is under it.
  listenToPointers() {
    const { canvas, stage } = this;
    const down = new Map();
    const middle = (points) => (points[0].clientX + points[points.length - 1].clientX) / 2;
    const apart = (points) => Math.abs(points[0].clientX - points[points.length - 1].clientX);
    canvas.addEventListener('pointerdown', (event) => {
      down.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
      this.hover(event);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!down.has(event.pointerId)) return this.hover(event);
      const before = [...down.values()];
      const scroll = down.get(event.pointerId).clientY - event.clientY;
      down.set(event.pointerId, event);
      const now = [...down.values()];
      this.hideTip();
      this.view.pan(this.timeAt(middle(before)) - this.timeAt(middle(now)));
      if (now.length > 1 && apart(before) > 0 && apart(now) > 0) {
        this.view.zoom(apart(now) / apart(before), this.timeAt(middle(now)));
      }
      if (event.pointerType === 'mouse') stage.scrollTop += scroll;
      this.redraw();
    });
    for (const type of ['pointerup', 'pointercancel']) canvas.addEventListener(type, (event) => down.delete(event.pointerId));
    // A finger leaves when it is lifted; what it asked for stays.
    canvas.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && this.hideTip());
  }

  // The wheel turns the page, unless the chart was chosen by a click or a key; over the names it scrolls the rows.
  wheel(event) {
    const chosen = event.ctrlKey || document.activeElement === this.stage;
    const box = this.canvas.getBoundingClientRect();
    if (!chosen || event.clientX - box.left < this.painter.gutter) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    const [across, along] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    if (Math.abs(across) > Math.abs(along)) this.view.pan((across * lines * this.view.span) / box.width);
    else this.view.zoom(Math.exp(-along * lines * (event.ctrlKey ? 0.01 : 0.002)), this.timeAt(event.clientX));
    this.redraw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      '+': () => this.zoom(1.5), '=': () => this.zoom(1.5), '-': () => this.zoom(1 / 1.5), '_': () => this.zoom(1 / 1.5),
      ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15),
      ArrowUp: () => this.scroll(-2 * this.rowHeight), ArrowDown: () => this.scroll(2 * this.rowHeight),
      PageUp: () => this.scroll(-0.9 * this.painter.plot), PageDown: () => this.scroll(0.9 * this.painter.plot),
      0: () => this.reset(), Home: () => this.reset(),
      n: () => this.choose(this.rows.step(this.chosen, 1)), p: () => this.choose(this.rows.step(this.chosen, -1)),
      Escape: () => this.hideTip(),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  zoom(factor) {
    this.view.zoom(factor);
    this.redraw();
  }

  pan(share) {
    this.view.pan(share * this.view.span);
    this.redraw();
  }

  scroll(by) {
    this.stage.scrollTop += by;
    this.redraw();
  }

  reset() {
    this.view.reset();
    this.stage.scrollTop = 0;
    this.redraw();
  }

  setTall(tall) {
    const row = this.stage.scrollTop / this.rowHeight;
    this.tall = tall;
    this.tallButton.setAttribute('aria-pressed', String(tall));
    this.resize();
    this.stage.scrollTop = row * this.rowHeight;
  }

  // The same time, job and rows as another chart.
  follow(other) {
    const { from, to, whole } = other.view;
    if (from > whole.from || to < whole.to) this.view.show(from, to);
    else this.view.reset();
    if (this.tall !== other.tall) this.setTall(other.tall);
    this.stage.scrollTop = other.scrolled ?? 0;
    this.find(other.search.value);
  }

  // Highlights a job.
  find(text) {
    if (this.search.value !== text) this.search.value = text;
    this.rows.filter(text);
    this.chosen = -1;
    this.redraw();
  }

  // Shows all of the job that was found, with as much time around it.
  goToKept() {
    const { rows } = this;
    const kept = [];
    if (rows.kept) for (let bar = 0; bar < rows.count; bar++) if (rows.kept[bar]) kept.push(bar);
    if (!kept.length) return;
    const from = kept.reduce((least, bar) => Math.min(least, rows.start[bar]), Infinity);
    const to = kept.reduce((most, bar) => Math.max(most, rows.end[bar]), -Infinity);
    const margin = (to - from) / 2;
    this.view.show(from - margin, to + margin);
    this.reveal(kept[0]);
    this.redraw();
  }

  // Scrolls a bar's row into view.
  reveal(bar) {
    const top = this.rows.node[bar] * this.rowHeight;
    const { scrollTop } = this.stage;
    if (top < scrollTop || top + this.rowHeight > scrollTop + this.painter.plot) this.stage.scrollTop = top - this.painter.plot / 3;
  }

  // Picks a bar by key, and tells of it.
  choose(bar) {
    if (bar < 0) return;
    const { rows, view } = this;
    this.chosen = bar;
    if (rows.end[bar] <= view.from || rows.start[bar] >= view.to) {
      const middle = (rows.start[bar] + rows.end[bar]) / 2;
      view.show(middle - view.span / 2, middle + view.span / 2);
    }
    this.reveal(bar);
    const x = Math.max(this.painter.gutter, this.painter.x(rows.start[bar], view));
    this.showTip(this.describe(bar), x, (rows.node[bar] + 1) * this.rowHeight - this.stage.scrollTop);
    this.redraw();
  }

  timeAt(clientX) {
    return this.painter.time(clientX - this.canvas.getBoundingClientRect().left, this.view);
  }

  rowAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (event.clientX - box.left < this.painter.gutter || y < 0 || y > this.painter.plot) return -1;
    const row = Math.floor((y + this.stage.scrollTop) / this.rowHeight);
    return row < this.rows.nodes.length ? row : -1;
  }

  // The time that a few pixels stand for.
  slack(pixels) {
    return (pixels * this.view.span) / (this.painter.width - this.painter.gutter);
  }

  barAt(event) {
    const row = this.rowAt(event);
    return row < 0 ? -1 : this.rows.at(row, this.timeAt(event.clientX), this.slack(2));
  }

  hover(event) {
    const { rows } = this;
    const row = this.rowAt(event);
    const time = this.timeAt(event.clientX);
    const near = (mark) => Math.abs(rows.marks.time[mark] - time) <= this.slack(5);
    const mark = (rows.marksOf.get(row) ?? []).find(near);
    const bar = mark === undefined ? this.barAt(event) : -1;
    if (bar < 0 && mark === undefined) return this.hideTip();
    const box = this.canvas.getBoundingClientRect();
    const lines = bar < 0
      ? ['Collision', rows.words[rows.marks.what[mark]], rows.nodes[row], `at ${exact(rows.marks.time[mark])}`]
      : this.describe(bar);
    this.showTip(lines, event.clientX - box.left + 14, event.clientY - box.top + 14);
    if (bar !== this.chosen) {
      this.chosen = bar;
      this.redraw();
    }
  }

  // A bar in words: job, task, what it is, node, start, end.
  describe(bar) {
    const { rows } = this;
    const [job, label] = [rows.words[rows.job[bar]], rows.words[rows.label[bar]]];
    const [start, end] = [rows.start[bar], rows.end[bar]];
    const kind = rows.kinds[rows.kind[bar]];
    return [
      job ? `Job ${job}` : kind, job ? kind : '', label, rows.nodes[rows.node[bar]],
      `${exact(start)} to ${exact(end)} (${exact(end - start)})`,
    ].filter(Boolean);
  }

  showTip([head, ...lines], x, y) {
    this.tip.replaceChildren(element('b', {}, head), ...lines.map((line) => element('span', {}, line)));
    this.tip.hidden = false;
    const { offsetLeft, offsetTop, clientWidth, clientHeight } = this.stage;
    const clamp = (value, room) => Math.max(0, Math.min(value, room));
    this.tip.style.left = `${offsetLeft + clamp(x, clientWidth - this.tip.offsetWidth)}px`;
    const below = y + this.tip.offsetHeight < clientHeight;
    this.tip.style.top = `${offsetTop + clamp(below ? y : y - this.tip.offsetHeight - 28, clientHeight)}px`;
  }

  hideTip() {
    this.tip.hidden = true;
    if (this.chosen < 0) return;
    this.chosen = -1;
    this.redraw();
  }

  recolour() {
    this.colours = theme(this.figure);
    this.fillLegend();
    this.redraw();
  }

  // Entries for what there is, and no more.
  fillLegend() {
    const { rows, colours } = this;
    const entries = rows.kinds.map((name, kind) => [name, kind]).filter(([, kind]) => rows.kind.includes(kind));
    const item = (name, draw) => {
      const swatch = element('canvas', { width: 26, height: 14, 'aria-hidden': 'true' });
      draw(swatch.getContext('2d'));
      return element('li', {}, swatch, name);
    };
    const bar = (kind) => (context) => {
      const shades = [...new Set(colours.bars[kind])].slice(0, 3);
      for (let x = 0; x < 26; x += kind === KINDS.down ? 3 : 1) {
        context.fillStyle = shades[Math.floor((x * shades.length) / 26)];
        context.fillRect(x, 1, 1, 12);
      }
    };
    const named = (name, kind) => ([KINDS.window, KINDS.task].includes(kind) ? `${name} (colours tell jobs apart)` : name);
    this.legend.replaceChildren(...entries.map(([name, kind]) => item(named(name, kind), bar(kind))));
    if (rows.marks.node.length) {
      this.legend.append(item('collision', (context) => {
        context.strokeStyle = colours.ink;
        context.lineWidth = 2;
        context.stroke(new Path2D('M9 3 L17 11 M9 11 L17 3'));
      }));
    }
    if (rows.cycles.length) {
      this.legend.append(item('cycle begins', (context) => {
        context.fillStyle = colours.quiet;
        context.fillRect(12, 0, 1, 14);
      }));
    }
  }

  resize() {
    if (!this.stage.clientWidth) return;
    const room = Math.floor(Math.min(HIGHEST, WINDOW_PART * innerHeight));
    const count = Math.max(1, this.rows.nodes.length);
    this.rowHeight = this.tall ? TALL_ROW : Math.min(TALL_ROW, Math.max(LOWEST_ROW, (room - AXIS_HEIGHT) / count));
    const needed = Math.ceil(count * this.rowHeight + AXIS_HEIGHT);
    const height = Math.min(room, needed);
    for (const [part, length] of [[this.sheet, needed], [this.canvas, height], [this.stage, height]]) part.style.height = `${length}px`;
    this.painter.resize(this.stage.clientWidth, height);
    this.density = this.rows.density(Math.max(1, Math.round(this.stage.clientWidth / 2)));
    this.redraw();
  }

  // Once per frame, however much has happened.
  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      const begun = performance.now();
      const state = { view: this.view, rowHeight: this.rowHeight, scroll: this.stage.scrollTop, chosen: this.chosen };
      this.painter.paint(state, this.colours);
      paintOverview(this.overview, this.density, this.view, this.painter.gutter, this.colours);
      this.tell(performance.now() - begun);
    });
  }

  // Tells what is in view, for readers, and as attributes for whoever tests the page.
  tell(milliseconds) {
    const { rows, view, painter } = this;
    const chosen = this.chosen < 0 ? '' : this.chosen;
    Object.assign(this.figure.dataset, {
      from: view.from, to: view.to, firstRow: painter.firstRow, lastRow: painter.lastRow,
      drawn: painter.drawn, matches: rows.keptCount, chosen, milliseconds: milliseconds.toFixed(2),
    });
    const time = ticks(view.from, view.to, 1000).text;
    const parts = [
      `${rows.timeLabel}: ${time(view.from)} to ${time(view.to)}`,
      `rows ${painter.firstRow + 1} to ${painter.lastRow} of ${rows.nodes.length}`,
      `${rows.count} bars${rows.kept ? `, ${rows.keptCount} of the job` : ''}`,
    ];
    clearTimeout(this.telling);
    this.telling = setTimeout(() => (this.status.textContent = parts.join(' · ')), 150);
  }
}

// A chart that is not shown is made when it is first chosen; then it shows what the one before it showed.
function showChart(figure, before) {
  charts.get(figure) ?? charts.set(figure, new Chart(figure, charts.size));
  if (charts.has(before)) charts.get(figure).follow(charts.get(before));
}

const charts = new Map();
document.querySelectorAll('figure.schedule:not([hidden])').forEach((figure) => showChart(figure));
document.addEventListener('switched', ({ detail: { shown, before } }) => {
  if (shown.matches('figure.schedule')) showChart(shown, before);
});
