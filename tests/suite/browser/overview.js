// The overview of a reproduction: everything has its place and size, and the switch leaves the misses.

const say = (name, value) => console.log(`finding ${name} = ${value}`);
const all = (selector) => [...document.querySelectorAll(selector)];
const shown = (part) => part.checkVisibility();

function test() {
  const figures = all('figure svg');
  say('figures', figures.length);
  say('width', innerWidth);
  say('as wide as the page', document.documentElement.scrollWidth <= innerWidth);
  const folded = document.documentElement.scrollHeight;
  say('reasons shown at first', all('.because').filter(shown).length);
  say('marks', all('.marks i').length === all('.claim').length);
  all('details').forEach((part) => { part.open = true; });
  say('folded to a part of its height', folded < 0.7 * document.documentElement.scrollHeight);
  const sizes = [...figures, ...all('table')].map((part) => part.getBoundingClientRect());
  say('all have a size', sizes.every((box) => box.width > 100 && box.height > 30));
  say('as wide as the page with all open', document.documentElement.scrollWidth <= innerWidth);
  const print = document.querySelector('.beside .claims').getBoundingClientRect();
  const ours = document.querySelector('.beside figure').getBoundingClientRect();
  say('figures beside claims', ours.left >= print.right);
  say('loaded', performance.getEntriesByType('resource').length);
  say('dark page', getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)');
  say('misses shown', all('.claim.differs').filter(shown).length);
  const told = all('.claim.differs').every((claim) => [...claim.querySelectorAll('.because')].some(shown));
  say('reasons on demand', told);
  const control = document.querySelector('#only-misses');
  control.focus();
  control.click();
  say('matches hidden by the switch', document.activeElement === control && !all('.claim.match').some(shown));
  say('misses still shown', all('.claim.differs').filter(shown).length);
  control.click();
  const dead = all('a[href^="#"]').filter((link) => !document.getElementById(link.getAttribute('href').slice(1)));
  say('links that lead nowhere', dead.length);
  const unnamed = all('button, input, summary, [tabindex]').filter((part) => !part.textContent.trim() && !part.closest('label'));
  say('controls without a name', unnamed.length);
  const claim = document.querySelector('.claim');
  claim.open = false;
  claim.querySelector('summary').click();
  say('a claim opens', claim.open && shown(claim.querySelector('table')));
}

try {
  test();
} catch (error) {
  console.log(`the test itself failed: ${error.stack}`);
}
setTimeout(() => window.close(), 20);
