// The few lines of DOM that the components share. Nodes are made once and then only changed: nothing blinks.

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element at the end of `parent`. */
export function draw(parent, tag, className, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  if (className) node.setAttribute("class", className);
  set(node, attributes);
  return parent.appendChild(node);
}

/** A new HTML element at the end of `parent`. */
export function add(parent, tag, className, attributes = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  set(node, attributes);
  return parent.appendChild(node);
}

/** Change attributes, those that differ only; null removes one. */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
}

/** Change the text of a node, if it differs. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Place a rectangle between two heights, whichever is the upper one. */
export function bar(node, x, width, y0, y1) {
  set(node, { x, width, y: Math.min(y0, y1), height: Math.abs(y1 - y0) });
}

/** Keep as many children made by `make(parent, i)` as `count`; returns the list. */
export function keep(list, count, make) {
  while (list.length > count) list.pop().remove();
  while (list.length < count) list.push(make(list.length));
  return list;
}

/** Mark the root as dark or light by the background that Streamlit's theme gives it. */
export function followTheme(root) {
  const [red, green, blue] = getComputedStyle(root).backgroundColor.match(/[\d.]+/g).map(Number);
  root.dataset.theme = 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
}

/** The height of a drawing: `least`, or a share of a window that has room for more. */
export function heightFor(least, width, share) {
  return Math.max(least, Math.min(share * window.innerHeight, 0.45 * width));
}

/** The size of type, and of everything measured in it, for a drawing of this width. */
export function typeSize(width) {
  return width < 760 ? 14 : width < 1350 ? 16 : 19;
}
