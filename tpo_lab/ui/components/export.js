// Saves a drawing as it stands: an SVG file with its styles written out, or a PNG of it at twice the size.

import { add, draw } from "./dom.js";

const STYLES = [
  ...["stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order"],
  ...["text-anchor", "font-family", "font-size", "font-weight", "font-variant-numeric"],
];
const PNG_SCALE = 2;

/** Two small buttons in the upper right corner of `root` that save `svg` under `name`. */
export function addExports(root, svg, name) {
  const corner = add(root, "span", "saves");
  const save = { SVG: saveSvg, PNG: savePng };
  for (const [kind, run] of Object.entries(save)) {
    const button = add(corner, "button", "save", { type: "button", title: `Save the drawing as ${kind}` });
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
    const kept = STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`);
    node.setAttribute("style", [...kept, ...plain("fill", style.fill), ...plain("stroke", style.stroke)].join(";"));
  });
  copy.querySelectorAll(".handle").forEach((node) => node.remove());
  const paper = draw(copy, "rect", "", { width: "100%", height: "100%" });
  paper.setAttribute("style", plain("fill", getComputedStyle(svg.parentElement).backgroundColor).join(";"));
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/** A colour as rgb and opacity: other programs do not read the mixed colours that the browser computes. */
function plain(name, colour) {
  if (!colour.includes("(") || colour.startsWith("url")) return [`${name}:${colour}`];
  const pixel = document.createElement("canvas").getContext("2d");
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
  return [`${name}:rgb(${red},${green},${blue})`, `${name}-opacity:${(alpha / 255).toFixed(3)}`];
}

export function saveSvg(svg, name) {
  save(new Blob([standalone(svg)], { type: "image/svg+xml" }), `${name}.svg`);
}

export async function savePng(svg, name) {
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
