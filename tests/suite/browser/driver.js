// What the tests do with the page, and what they see. Every finding is one line on the console; the test reads them there.

const say = (name, value) => console.log(`finding ${name} = ${value}`);
const figure = document.querySelector('figure.schedule');
const [stage, search, tip] = ['.stage', 'input', '.tip'].map((part) => figure.querySelector(part));
const canvas = stage.querySelector('canvas');

// Until everything asked for is drawn.
const drawn = async () => {
  for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame);
};
const number = (name) => Number(figure.dataset[name]);
const view = () => `${number('from').toFixed(2)} ${number('to').toFixed(2)}`;
const place = (x, y) => {
  const box = canvas.getBoundingClientRect();
  return { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true };
};
const act = async (target, event) => {
  target.dispatchEvent(event);
  await drawn();
};
const key = (name, target = stage) => act(target, new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
const wheel = (x, deltaY) => act(canvas, new WheelEvent('wheel', { ...place(x, 20), deltaY }));
const pointer = (type, x, y, more = {}) =>
  act(canvas, new PointerEvent(type, { ...place(x, y), pointerId: 1, pointerType: 'mouse', ...more }));
const type = (text) => {
  search.value = text;
  return act(search, new Event('input', { bubbles: true }));
};
const press = (name) => act(figure.querySelector(`button[aria-label="${name}"]`), new MouseEvent('click', { bubbles: true }));
// A copy of a part of the chart, in CSS pixels.
const reader = Object.assign(document.createElement('canvas'), { width: 600, height: 1 }).getContext('2d', { willReadFrequently: true });
const pixels = (x, y, width) => {
  const ratio = canvas.width / canvas.clientWidth;
  reader.drawImage(canvas, x * ratio, y * ratio, width * ratio, ratio, 0, 0, width, 1);
  return reader.getImageData(0, 0, width, 1).data;
};
const pixel = (x, y) => pixels(x, y, 1).slice(0, 3).join(' ');

async function main() {
  await drawn();
  figure.scrollIntoView();
  await drawn();
  await test();
}

main()
  .catch((error) => console.log(`the test itself failed: ${error.stack}`))
  .finally(() => setTimeout(() => window.close(), 20));
