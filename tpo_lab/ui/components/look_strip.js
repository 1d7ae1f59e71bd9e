// The groups of one batch as squares, coloured and signed by kind: a click or an arrow key chooses one.

import { add, keep, set, write } from "./dom.js";
import { mounting } from "./mount.js";

/** Which square an arrow key leads to from (group, place); null for any other key. */
export function moved(key, [group, place], groups, places) {
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  if (key === "Home") return [0, place];
  if (key === "End") return [groups - 1, place];
  if (!step) return null;
  const [right, down] = places > 1 ? step : [step[0] + step[1], 0];
  return [Math.min(Math.max(group + right, 0), groups - 1), Math.min(Math.max(place + down, 0), places - 1)];
}

/** The strip in `root`; `receive` gives kinds by row and column, and sends {group, place, seq} when one is chosen. */
function makeStrip(root) {
  const grid = add(root, "div", "squares", { role: "radiogroup" });
  const legend = add(root, "div", "legend");
  const squares = [];
  const entries = [];
  let data = null;
  let chosen = [0, 0];
  let send = () => {};
  let seq = Date.now();

  function choose(at, focus) {
    chosen = at;
    mark(focus);
    seq += 1;
    send("chosen", { group: at[0], place: at[1], seq });
  }

  function mark(focus) {
    const groups = data.rows[0].length;
    squares.forEach((square, i) => {
      const here = i === chosen[1] * groups + chosen[0];
      set(square, { "aria-checked": here, tabindex: here ? 0 : -1 });
      if (here && focus) square.focus();
    });
  }

  function makeSquare(i) {
    const square = add(grid, "button", "square", { type: "button", role: "radio" });
    const place = () => [i % data.rows[0].length, Math.floor(i / data.rows[0].length)];
    square.addEventListener("click", () => choose(place(), false));
    square.addEventListener("keydown", (event) => {
      const at = moved(event.key, place(), data.rows[0].length, data.rows.length);
      if (!at) return;
      event.preventDefault();
      choose(at, true);
    });
    return square;
  }

  function receive(received, setStateValue) {
    data = received;
    send = setStateValue;
    chosen = data.chosen;
    const groups = data.rows[0].length;
    set(grid, { "aria-label": data.name });
    grid.style.gridTemplateColumns = `repeat(${groups}, minmax(1.1rem, 2.6rem))`;
    keep(squares, groups * data.rows.length, makeSquare);
    squares.forEach((square, i) => {
      const kind = data.kinds[data.rows[Math.floor(i / groups)][i % groups]];
      const name = `${data.names[0]} ${(i % groups) + 1}${data.rows.length > 1 ? `, ${data.names[1]} ${Math.floor(i / groups) + 1}` : ""}: ${kind.label}`;
      set(square, { "aria-label": name, title: name });
      square.style.background = kind.colour;
      square.style.color = kind.ink;
      write(square, kind.sign);
    });
    mark(false);
    const there = data.kinds.map((kind, i) => ({ ...kind, count: data.rows.flat().filter((at) => at === i).length }));
    const shown = there.filter((kind) => kind.count > 0);
    keep(entries, shown.length, () => makeEntry(legend)).forEach((entry, i) => {
      write(entry.box, shown[i].sign);
      entry.box.style.background = shown[i].colour;
      entry.box.style.color = shown[i].ink;
      write(entry.text, `${shown[i].label} ${shown[i].count}`);
    });
    root.dataset.tpoRevision = data.revision;
  }

  return { open() {}, close() {}, receive };
}

function makeEntry(legend) {
  const node = add(legend, "span", "entry");
  return { box: add(node, "b", "box"), text: add(node, "span"), remove: () => node.remove() };
}

export default mounting(".look-strip", makeStrip);
