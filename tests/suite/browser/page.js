// The page as a whole.

async function test() {
  say('open at first', document.querySelectorAll('details[open]').length);
  document.querySelectorAll('details').forEach((part) => (part.open = true));
  const figures = [...document.querySelectorAll('figure svg, figure.schedule .stage canvas, table')];
  const boxes = figures.map((part) => part.getBoundingClientRect());
  say('figures, charts and tables', figures.map((part) => part.localName).join(' '));
  say('all have a size', boxes.every((box) => box.width > 100 && box.height > 50));
  say('as wide as the page', document.documentElement.scrollWidth <= innerWidth);
  say('width', innerWidth);
  say('loaded', performance.getEntriesByType('resource').length);
  const paper = pixels(1, 1, 1);
  say('dark paper', paper[0] + paper[1] + paper[2] < 200);
  say('dark page', getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)');
  const unnamed = [...document.querySelectorAll('button, input, [tabindex]')].filter(
    (part) => !part.getAttribute('aria-label') && !part.textContent.trim());
  say('controls without a name', unnamed.length);
}
