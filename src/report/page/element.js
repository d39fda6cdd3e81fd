// What all scripts of the page use.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Calls `act` once per frame, however often it is asked for.
function oncePerFrame(act) {
  let frame = null;
  return () => {
    frame ??= requestAnimationFrame(() => {
      frame = null;
      act();
    });
  };
}
