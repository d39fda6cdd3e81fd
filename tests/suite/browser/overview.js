// The overview of a reproduction: everything has its place and size, and the switch leaves the misses.

const say = (name, value) => console.log(`finding ${name} = ${value}`);
const all = (selector) => [...document.querySelectorAll(selector)];
const shown = (part) => part.getClientRects().length > 0;

function test() {
  const figures = all('figure svg');
  say('figures', figures.length);
  const sizes = [...figures, ...all('table')].map((part) => part.getBoundingClientRect());
  say('all have a size', sizes.every((box) => box.width > 100 && box.height > 30));
  say('as wide as the page', document.documentElement.scrollWidth <= innerWidth);
  say('width', innerWidth);
  say('loaded', performance.getEntriesByType('resource').length);
  say('dark page', getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)');
  say('misses shown', all('tr.differs').filter(shown).length);
  const control = document.querySelector('#only-misses');
  control.focus();
  control.click();
  say('matches hidden by the switch', document.activeElement === control && !all('tr.match').some(shown));
  say('misses still shown', all('tr.differs').filter(shown).length);
  control.click();
  const dead = all('a[href^="#"]').filter((link) => !document.getElementById(link.getAttribute('href').slice(1)));
  say('links that lead nowhere', dead.length);
  const unnamed = all('button, input, [tabindex]').filter((part) => !part.textContent.trim() && !part.closest('label'));
  say('controls without a name', unnamed.length);
  const summary = document.querySelector('summary');
  summary.click();
  say('set-up opens', summary.parentElement.open && shown(summary.parentElement.querySelector('p')));
}

try {
  test();
} catch (error) {
  console.log(`the test itself failed: ${error.stack}`);
}
setTimeout(() => window.close(), 20);
