// Of figures that show the same for several policies, one is shown; a switch chooses it. All switches of the page choose
// the same policy, where they have it.

// So many names stand side by side; more are in a list.
const MOST_BUTTONS = 6;

class Switch {
  constructor(box) {
    this.figures = [...box.children].filter((part) => part.matches('figure'));
    this.names = this.figures.map((figure) => figure.dataset.name);
    this.at = 0;
    if (this.figures.length < 2) return;
    const label = element('span', {}, 'Policy');
    if (this.figures.length <= MOST_BUTTONS) {
      this.buttons = this.names.map((name) => element('button', { type: 'button' }, name));
      this.buttons.forEach((button, k) => button.addEventListener('click', () => Switch.choose(this.names[k])));
      box.prepend(element('div', { class: 'choice', role: 'group', 'aria-label': 'Policy' }, label, ...this.buttons));
    } else {
      this.list = element('select', {}, ...this.names.map((name) => element('option', {}, name)));
      this.list.addEventListener('change', () => Switch.choose(this.names[this.list.selectedIndex]));
      box.prepend(element('div', { class: 'choice' }, element('label', {}, label, this.list)));
    }
    this.show(0);
  }

  show(at) {
    const before = this.figures[this.at];
    this.at = at;
    this.figures.forEach((figure, k) => (figure.hidden = k !== at));
    this.buttons?.forEach((button, k) => button.setAttribute('aria-pressed', String(k === at)));
    if (this.list) this.list.selectedIndex = at;
    document.dispatchEvent(new CustomEvent('switched', { detail: { shown: this.figures[at], before } }));
  }

  static choose(name) {
    for (const one of switches) {
      const at = one.names.indexOf(name);
      if (at >= 0 && at !== one.at) one.show(at);
    }
  }
}

const switches = [...document.querySelectorAll('.switch')].map((box) => new Switch(box));
