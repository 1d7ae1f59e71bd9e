// Saves a drawing as it stands: an SVG file with its styles written out, or a PNG of it at twice the size.

import { add } from "./dom.js";

const STYLES = [
  ...["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order"],
  ...["text-anchor", "font-family", "font-size", "font-weight", "font-variant-numeric"],
];
const PNG_SCALE = 2;

/** Two small buttons at the end of `parent` that save `svg` under `name`. */
export function addExports(parent, svg, name) {
  const save = { SVG: saveSvg, PNG: savePng };
  for (const [kind, run] of Object.entries(save)) {
    const button = add(parent, "button", "save", { type: "button", title: `Save the drawing as ${kind}` });
    button.textContent = kind;
    button.addEventListener("click", () => run(svg, name));
  }
}

/** The drawing as the text of a file that needs no style sheet. */
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    node.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  copy.querySelectorAll(".handle").forEach((node) => node.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.background = getComputedStyle(svg.parentElement).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

function saveSvg(svg, name) {
  save(new Blob([standalone(svg)], { type: "image/svg+xml" }), `${name}.svg`);
}

async function savePng(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = svg.width.baseVal.value * PNG_SCALE;
  canvas.height = svg.height.baseVal.value * PNG_SCALE;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
}

function save(blob, filename) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
