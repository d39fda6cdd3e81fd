// Figures answer the pointer with the values that they draw: by mouse, by touch, and by arrow keys once a figure has the
// focus. Places are in the units of the drawing.

// A point answers within this many pixels, and an area within fewer.
const [NEAR_POINT, NEAR_AREA] = [48, 6];

class Answers {
  constructor(figure, data) {
    this.figure = figure;
    this.data = data;
    this.svg = figure.querySelector('svg');
    this.units = this.svg.viewBox.baseVal;
    this.arePoints = !data.area;
    this.count = data.name.length;
    this.chosen = -1;
    this.tip = element('div', { class: 'tip', role: 'status', hidden: '' });
    this.ring = element('div', { class: 'ring', hidden: '' });
    figure.append(this.ring, this.tip);
  }

  // Left, top, right and bottom of a place.
  area(spot) {
    if (!this.arePoints) return this.data.area.slice(4 * spot, 4 * spot + 4);
    const [x, y] = this.data.at.slice(2 * spot, 2 * spot + 2);
    return [x, y, x, y];
  }

  // The place that is nearest to a point of the page; -1 if none is near.
  at(clientX, clientY) {
    const box = this.svg.getBoundingClientRect();
    const scale = box.width / this.units.width;
    const [x, y] = [(clientX - box.left) / scale, (clientY - box.top) / scale];
    let [found, least] = [-1, (this.arePoints ? NEAR_POINT : NEAR_AREA) / scale];
    for (let spot = 0; spot < this.count; spot++) {
      const [left, top, right, bottom] = this.area(spot);
      // Upright lines are the steps of a stack: each answers up to the next.
      const reach = !this.arePoints && left === right ? 0.2 : 1;
      const across = reach * Math.max(0, left - x, x - right);
      const distance = Math.hypot(across, Math.max(0, top - y, y - bottom));
      if (distance < least) [found, least] = [spot, distance];
    }
    return found;
  }

  // The value in words.
  lines(spot) {
    const { data } = this;
    const pick = (list, numbers) => (numbers ? list[numbers[spot]] : '');
    const [metric, place] = [pick(data.metrics, data.metric), pick(data.places, data.place)];
    const published = data.published?.[spot];
    return [
      data.names[data.name[spot]],
      place && (data.x ? `${data.x}: ${place}` : place),
      `${metric || data.y || 'Mean'}: ${data.value[spot]}`,
      `n = ${data.n[spot] ?? data.n[0]}`,
      published && `published: ${published}`,
    ].filter(Boolean);
  }

  show(spot) {
    if (spot < 0) return this.hide();
    if (spot === this.chosen) return;
    this.chosen = spot;
    const [head, ...lines] = this.lines(spot);
    this.tip.replaceChildren(element('b', {}, head), ...lines.map((line) => element('span', {}, line)));
    this.tip.hidden = this.ring.hidden = false;
    const [box, own] = [this.svg.getBoundingClientRect(), this.figure.getBoundingClientRect()];
    const scale = box.width / this.units.width;
    const [left, top, right, bottom] = this.area(spot).map((length) => length * scale);
    const [dx, dy] = [box.left - own.left, box.top - own.top];
    const rim = this.arePoints ? 7 : 1;
    Object.assign(this.ring.style, {
      left: `${dx + left - rim}px`, top: `${dy + top - rim}px`,
      width: `${right - left + 2 * rim}px`, height: `${bottom - top + 2 * rim}px`,
    });
    this.ring.classList.toggle('round', this.arePoints);
    const { offsetWidth, offsetHeight } = this.tip;
    const middle = (left + right) / 2;
    // Beside the place and above it; below where there is no room.
    const x = middle + 14 + offsetWidth < box.width ? middle + 14 : middle - 14 - offsetWidth;
    const y = top - offsetHeight - 10 > -20 ? top - offsetHeight - 10 : top + 18;
    this.tip.style.left = `${dx + Math.max(0, Math.min(x, box.width - offsetWidth))}px`;
    this.tip.style.top = `${dy + y}px`;
  }

  hide() {
    this.chosen = -1;
    this.tip.hidden = this.ring.hidden = true;
  }

  key(event) {
    const { name } = this.data;
    const { chosen } = this;
    const middle = (spot) => this.area(spot)[0] + this.area(spot)[2];
    // The place of another series that is nearest along the axis.
    const across = (step) => {
      const wanted = name[chosen] + step;
      let found = chosen;
      for (let spot = 0; spot < this.count; spot++) {
        if (name[spot] !== wanted) continue;
        const is_nearer = found === chosen || Math.abs(middle(spot) - middle(chosen)) < Math.abs(middle(found) - middle(chosen));
        if (is_nearer) found = spot;
      }
      return found;
    };
    const step = (by) => Math.max(0, Math.min(this.count - 1, chosen + by));
    const acts = {
      ArrowRight: () => step(1), ArrowLeft: () => step(-1),
      ArrowDown: () => (chosen < 0 ? 0 : across(1)), ArrowUp: () => (chosen < 0 ? 0 : across(-1)),
      Home: () => 0, End: () => this.count - 1, Escape: () => -1,
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.show(act());
  }
}

// The data of a figure are read when it is first asked.
document.querySelectorAll('figure > script.spots').forEach((script) => {
  const figure = script.parentElement;
  const svg = figure.querySelector('svg');
  let answers = null;
  const ask = () => (answers ??= new Answers(figure, JSON.parse(script.textContent)));
  figure.classList.add('answers');
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('pointermove', (event) => ask().show(ask().at(event.clientX, event.clientY)));
  svg.addEventListener('pointerdown', (event) => ask().show(ask().at(event.clientX, event.clientY)));
  // A finger leaves when it is lifted; what it asked for stays.
  svg.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && ask().hide());
  svg.addEventListener('focus', () => svg.matches(':focus-visible') && ask().show(0));
  svg.addEventListener('blur', () => ask().hide());
  svg.addEventListener('keydown', (event) => ask().key(event));
});
