// Rows to choose from: a click or an arrow key chooses one.

import { add, keep, set, write } from "./dom.js";
import { mounting } from "./mount.js";

const PAGE = 8; // rows

/** Which of `count` rows a key leads to from row `at`; null for any other key. */
export function stepped(key, at, count) {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -count, End: count }[key];
  return step === undefined ? null : Math.min(Math.max(at + step, 0), count - 1);
}

/** The table in `root`; `receive` gives texts by row and column, and sends {id, seq} when a row is chosen. */
function makeTable(root) {
  const box = add(root, "div", "box");
  const table = add(box, "table", "", { role: "grid" });
  const head = add(add(table, "thead", ""), "tr", "");
  const body = add(table, "tbody", "");
  const heads = [];
  const rows = [];
  let data = { ids: [] };
  let send = () => {};
  let seq = Date.now();

  function choose(at) {
    data.chosen = data.ids[at];
    mark();
    seq += 1;
    send("chosen", { id: data.chosen, seq });
  }

  function mark() {
    const at = data.ids.indexOf(data.chosen);
    rows.forEach(({ node }, i) => set(node, { "aria-selected": i === at, tabindex: i === Math.max(at, 0) ? 0 : -1 }));
  }

  const place = (event) => rows.findIndex(({ node }) => node === event.target.closest("tr"));
  body.addEventListener("click", (event) => place(event) >= 0 && choose(place(event)));
  body.addEventListener("keydown", (event) => {
    const at = stepped(event.key, place(event), rows.length);
    if (at === null && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const to = at ?? place(event);
    rows[to].node.focus();
    choose(to);
  });

  function receive(received, setStateValue) {
    const same = received.ids.join() === data.ids.join();
    data = { ...received };
    send = setStateValue;
    set(table, { "aria-label": data.name });
    box.style.maxHeight = `${data.height}px`;
    keep(heads, data.columns.length, () => add(head, "th", "", { scope: "col" })).forEach((cell, i) => {
      set(cell, { class: data.kinds[i] });
      write(cell, data.columns[i]);
    });
    keep(rows, data.rows.length, () => makeRow(body)).forEach((row, i) => fill(row, data.rows[i], data.kinds));
    mark();
    if (!same) box.scrollTop = 0;
    root.dataset.tpoRevision = data.revision;
  }

  return { open() {}, close() {}, receive };
}

function makeRow(body) {
  const node = add(body, "tr", "");
  return { node, cells: [], remove: () => node.remove() };
}

function fill({ node, cells }, texts, kinds) {
  keep(cells, texts.length, () => add(node, "td", "")).forEach((cell, i) => {
    set(cell, { class: kinds[i] });
    write(cell, texts[i]);
  });
}

export default mounting(".rows-table", makeTable);
