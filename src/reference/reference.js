// Shows the entries that have all words that were typed, in their own text or in the name of their section.
const find = document.getElementById("find");
const found = document.getElementById("found");
const contents = document.querySelector("nav");
const chapters = [...document.querySelectorAll(".chapter")];
const sections = [...document.querySelectorAll(".type")].map((element) => {
  const entries = [...element.querySelectorAll(".entry")].map((entry) => ({
    element: entry,
    text: entry.textContent.toLowerCase(),
    name: entry.querySelector("h4").textContent.toLowerCase(),
  }));
  const about = [...element.children].filter((child) => !child.classList.contains("entry"));
  return {
    element,
    entries,
    name: element.querySelector("h3").textContent.toLowerCase(),
    text: about.map((child) => child.textContent.toLowerCase()).join(" "),
  };
});

function filter() {
  const words = find.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const searching = words.length > 0;
  let count = 0;
  for (const section of sections) {
    const whole = words.every((word) => section.text.includes(word));
    let shown = whole;
    const visible = new Set();
    for (const entry of section.entries) {
      const hit = words.every((word) => entry.text.includes(word) || section.name.includes(word));
      if (hit || whole) {
        count += 1;
        shown = true;
        // A field of a variant is shown inside of it.
        for (let at = entry.element; at !== section.element; at = at.parentElement) visible.add(at);
      }
    }
    for (const entry of section.entries) entry.element.hidden = searching && !visible.has(entry.element);
    section.element.hidden = searching && !shown;
  }
  for (const chapter of chapters) {
    let next = chapter.nextElementSibling;
    let empty = true;
    while (next && !next.classList.contains("chapter")) {
      empty = empty && next.hidden;
      next = next.nextElementSibling;
    }
    chapter.hidden = empty;
  }
  contents.hidden = searching;
  found.textContent = searching ? `${count} found` : "";
}

find.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== find) {
    event.preventDefault();
    find.focus();
  } else if (event.key === "Escape" && document.activeElement === find) {
    find.value = "";
    filter();
  }
});
// A link to something that is filtered away shows it again.
document.addEventListener("click", (event) => {
  if (event.target.closest("a[href^='#']")) {
    find.value = "";
    filter();
  }
});
filter();
