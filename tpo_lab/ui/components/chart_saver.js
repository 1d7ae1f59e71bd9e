// Two small buttons below a Vega chart that save it as it stands, as SVG and as PNG.

import { add } from "./dom.js";
import { savePng, saveSvg } from "./export.js";
import { mounting } from "./mount.js";

/** The buttons in `root`; `receive` says by its selector which drawing they save, and under which name. */
function makeSaver(root) {
  let wanted = { selector: "", name: "" };
  for (const [kind, run] of Object.entries({ SVG: saveSvg, PNG: savePng })) {
    const button = add(root, "button", "save", { type: "button", title: `Save the chart as ${kind}` });
    button.textContent = kind;
    button.addEventListener("click", () => onPaper(document.querySelector(wanted.selector), (svg) => run(svg, wanted.name)));
  }
  return { open() {}, close() {}, receive: (data) => (wanted = data) };
}

/** Run with the drawing while its box has the colour of the page: a chart itself is transparent. */
function onPaper(svg, run) {
  if (!svg) return;
  const box = svg.parentElement;
  const before = box.style.backgroundColor;
  box.style.backgroundColor = paperOf(box);
  run(svg);
  box.style.backgroundColor = before;
}

function paperOf(box) {
  for (let node = box; node; node = node.parentElement) {
    const colour = getComputedStyle(node).backgroundColor;
    if (!/^rgba\(.*, 0\)$|^transparent$/.test(colour)) return colour;
  }
  return "white";
}

export default mounting(".chart-saver", makeSaver);
