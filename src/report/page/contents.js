// The contents: marks the part of the page that is being read. Without scripts the links lead there all the same.

const nav = document.querySelector('.contents');
const links = [...nav.querySelectorAll('a')];
const targets = links.map((link) => document.getElementById(link.getAttribute('href').slice(1)));

function markCurrent() {
  const line = 0.3 * innerHeight;
  const root = document.documentElement;
  const atEnd = scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 2;
  let current = 0;
  // Entries stand in the order of the page, but for figures side by side.
  targets.forEach((target, k) => {
    const top = target.getBoundingClientRect().top;
    if (target.checkVisibility() && (top <= line || (atEnd && top < innerHeight))) current = k;
  });
  // Of the parts at the end, which can't come up further, the one that was asked for.
  const asked = links.findIndex((link) => link.hash === location.hash);
  if (atEnd && asked >= 0 && targets[asked].getBoundingClientRect().top >= 0) current = asked;
  // Above everything the first part is read, however much of the others a tall window shows.
  if (scrollY <= 0) current = 0;
  if (links[current].hasAttribute('aria-current')) return;
  for (const link of links) link.removeAttribute('aria-current');
  links[current].setAttribute('aria-current', 'true');
  for (const item of nav.querySelectorAll('li')) item.classList.toggle('open', item.contains(links[current]));
  // The part's own entry is what a narrow bar shows.
  const shown = links[current].checkVisibility() ? links[current] : links[current].closest('ul').closest('li')?.querySelector('a');
  if (!shown) return;
  nav.scrollLeft = shown.offsetLeft - 0.3 * nav.clientWidth;
  const [box, own] = [nav.getBoundingClientRect(), shown.getBoundingClientRect()];
  if (own.top < box.top || own.bottom > box.bottom) nav.scrollTop += own.top - box.top - 0.4 * box.height;
}

const mark = oncePerFrame(markCurrent);
addEventListener('scroll', mark, { passive: true });
addEventListener('resize', mark);
addEventListener('hashchange', mark);
markCurrent();

// Paper shows everything.
let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details:not([open])')];
  for (const part of folded) part.open = true;
});
addEventListener('afterprint', () => {
  for (const part of folded) part.open = false;
});
