// What a reader does with a report: scrolls, switches, points, opens. Every finding is one line on the console.

const say = (name, value) => console.log(`finding ${name} = ${value}`);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const drawn = async () => {
  for (let k = 0; k < 4; k++) await new Promise(requestAnimationFrame);
};
const shown = (part) => part.checkVisibility();
const names = (parts) => parts.map((part) => part.dataset.name).join('; ');
const jump = async (top) => {
  scrollTo({ top, behavior: 'instant' });
  await drawn();
};

// Follows a link without a new entry in the history, with which the window could not be closed.
const follow = (link) => location.replace(link.href);

// The contents, wherever the page is.
async function contents() {
  const nav = document.querySelector('.contents');
  const inView = () => {
    const box = nav.getBoundingClientRect();
    return shown(nav) && box.top >= -1 && box.top < innerHeight / 2 && box.width > 100;
  };
  const current = () => all('li.open', nav).map((item) => item.querySelector('a').textContent)[0];
  say('entries', all(':scope > ul > li > a', nav).map((link) => link.textContent).join('; '));
  say('higher than the window', document.documentElement.scrollHeight > 2 * innerHeight);
  say('in view at first', inView() && current());
  await jump(document.querySelector('#schedules').getBoundingClientRect().top + scrollY - 50);
  say('in view further down', inView() && current());
  await jump(document.documentElement.scrollHeight);
  say('in view at the end', inView() && current());
  document.documentElement.style.scrollBehavior = 'auto';
  follow(all('a', nav).find((link) => link.getAttribute('href') === '#figures'));
  await drawn();
  const top = document.querySelector('#figures').getBoundingClientRect().top;
  say('marked there', current());
  say('a link leads there', top >= -1 && top < innerHeight / 3 && inView());
  say('links that lead nowhere', all('a', nav).filter((link) => !document.getElementById(link.hash.slice(1))).length);
}

// The page with the rules of paper, all parts unfolded.
async function onPaper() {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof CSSMediaRule && rule.media.mediaText === 'print') rule.media.mediaText = 'all';
    }
  }
  dispatchEvent(new Event('beforeprint'));
  await drawn();
  const none = (parts) => (parts.length ? parts.length : 'none');
  say('contents and switches', none(all('.contents, .choice').filter(shown)));
  say('schedules that can\'t be moved', none(all('figure.schedule').filter(shown)));
  const width = document.documentElement.clientWidth;
  say('wider than the paper', none(all('table, figure, pre').filter((part) => shown(part) && part.getBoundingClientRect().right > width + 1)));
  const [first, second] = all('#figures figure').map((part) => part.getBoundingClientRect());
  say('figures side by side', Math.abs(first.top - second.top) < 2 && second.left >= first.right);
  say('background', getComputedStyle(document.body).backgroundColor);
}

// Schedules and the use of nodes over time, policy by policy.
async function policies() {
  const [nodes, shares] = all('.switch');
  say('schedules', names(all('figure', nodes)));
  say('uses', names(all('figure', shares)));
  const visible = () => [nodes, shares].map((box) => names(all('figure', box).filter(shown))).join(' | ');
  say('shown at first', visible());
  const [first, second] = all('figure', nodes);
  all('button[aria-label="Zoom in"]', first)[0].click();
  await drawn();
  const [from, to] = [first.dataset.from, first.dataset.to];
  const button = all('.choice button', nodes)[1];
  button.click();
  await drawn();
  say('shown after the click', visible());
  say('pressed', all('.choice button[aria-pressed="true"]').map((one) => one.textContent).join('; '));
  say('same view', Number(to) - Number(from) < 40 && second.dataset.from === from && second.dataset.to === to);
  say('drawn', Number(second.dataset.drawn) > 0 && second.querySelector('canvas').clientWidth > 300);
  all('.choice button', shares)[0].click();
  await drawn();
  say('and back', visible());
}

// Points at a place of the page, and reads what is said there.
async function tipAt(figure, x, y) {
  const svg = figure.querySelector('svg');
  svg.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true, pointerType: 'mouse' }));
  await drawn();
  const tip = figure.querySelector('.tip');
  return !tip || tip.hidden ? 'none' : [...tip.children].map((line) => line.textContent).join('; ');
}

const centre = (part) => {
  const box = part.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};

// The values of bars, which are found by the names that stand before or below them.
async function bars(file, names) {
  const figure = document.querySelector(`#figure-${file}`);
  figure.scrollIntoView({ behavior: 'instant' });
  await drawn();
  const { left, top, width, height } = figure.querySelector('svg').getBoundingClientRect();
  for (const text of all('svg text', figure).filter((text) => names.includes(text.textContent))) {
    const [x, y] = centre(text);
    const isBefore = text.getAttribute('text-anchor') === 'end';
    say(`bar ${text.textContent}`, isBefore ? await tipAt(figure, left + 0.6 * width, y) : await tipAt(figure, x, top + 0.6 * height));
  }
}

// The values of markers, which are found by their shapes: all but those of the legend, in order.
async function markers(file) {
  const figure = document.querySelector(`#figure-${file}`);
  figure.scrollIntoView({ behavior: 'instant' });
  await drawn();
  const svg = figure.querySelector('svg');
  const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
  const small = all('polygon', svg).filter((part) => part.getBoundingClientRect().width * scale < 90 && part.getAttribute('fill') !== '#FFFFFF');
  say('markers', small.length);
  for (const [k, part] of small.entries()) say(`marker ${k}`, await tipAt(figure, ...centre(part)));
  say('far away', await tipAt(figure, 0, 0));
  svg.focus({ focusVisible: true });
  await drawn();
  const tip = figure.querySelector('.tip');
  const press = async (key) => {
    svg.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    await drawn();
    return tip.hidden ? 'none' : tip.firstChild.textContent + '; ' + tip.children[1].textContent;
  };
  await press('Home');
  say('right', await press('ArrowRight'));
  say('down', await press('ArrowDown'));
  say('escape', await press('Escape'));
  svg.dispatchEvent(new PointerEvent('pointerdown', { clientX: centre(small[small.length - 1])[0], clientY: centre(small[small.length - 1])[1], pointerType: 'touch', bubbles: true }));
  svg.dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'touch' }));
  await drawn();
  say('touched', !tip.hidden);
}

// A page inside of a frame that is as narrow as a phone.
async function narrow() {
  const frame = document.querySelector('iframe');
  while (!frame.contentDocument.querySelector('#facts') || frame.contentDocument.readyState !== 'complete') await drawn();
  await drawn();
  const page = frame.contentDocument;
  const root = page.documentElement;
  say('width', page.defaultView.innerWidth);
  say('open at first', all('details[open]', page).length);
  say('no wider', root.scrollWidth <= page.defaultView.innerWidth);
  all('details', page).forEach((part) => (part.open = true));
  await drawn();
  say('no wider with all open', root.scrollWidth <= page.defaultView.innerWidth);
  const wide = all('main *', page).filter((part) => part.getBoundingClientRect().right > page.defaultView.innerWidth + 1);
  say('what is wider is in a box that scrolls', wide.every((part) => part.closest('.scroll, pre')));
  say('tables', all('table', page).length > 3);
  const nav = page.querySelector('.contents');
  page.defaultView.scrollTo({ top: 3000, behavior: 'instant' });
  await drawn();
  say('contents in view', Math.abs(nav.getBoundingClientRect().top) < 1 && nav.getBoundingClientRect().height < 60);
}

// A page whose scripts do not run.
async function unscripted() {
  const figures = all('figure');
  say('figures', figures.length);
  say('all shown', figures.every((figure) => shown(figure) && figure.getBoundingClientRect().height > 20));
  say('said of schedules', all('figure.schedule p').filter(shown).length);
  say('switches', all('.choice').length);
  say('contents', all('.contents a').filter(shown).length > 5);
  const part = document.querySelector('#tables details');
  part.querySelector('summary').click();
  say('opens', shown(part.querySelector('table')));
  follow(document.querySelector('.contents a[href="#tables"]'));
  await drawn();
  say('leads', location.hash);
}

const main = async () => {
  await new Promise((done) => setTimeout(done, 300));
  await drawn();
  await test();
};
main()
  .catch((error) => console.log(`the test itself failed: ${error.stack}`))
  .finally(() => setTimeout(() => window.close(), 20));
