// Where everything of the group editor stands: three panels, one column a candidate, all in pixels.

import { typeSize } from "./dom.js";

/** Geometry for a drawing of this size with k candidates. */
export function layout(width, height, k) {
  const type = typeSize(width);
  const left = 5.2 * type;
  const column = (width - left - 0.4 * type) / k;
  const gap = Math.min(Math.max(column * 0.12, 1.5), 18);
  const title = 1.75 * type;
  const free = height - 3 * title - 3.15 * type;
  const panels = {};
  let y = 0;
  for (const [name, share, below] of [
    ["policy", 0.47, 1.8 * type],
    ["difference", 0.2, 0.6 * type],
    ["score", 0.33, 0.75 * type],
  ]) {
    const top = y + title;
    const bottom = top + share * free;
    panels[name] = { title: y + 1.15 * type, top, bottom };
    y = bottom + below;
  }
  return {
    type,
    width,
    height,
    left,
    column,
    k,
    panels,
    labels: panels.policy.bottom + 1.3 * type,
    every: [1, 2, 4, 8, 16].find((n) => n * column > (k > 9 ? 2.1 : 1.4) * type) ?? 16,
    x: (i) => left + i * column,
    // Half a column for p_old and half for q; a single bar takes the middle.
    half: (column - 2 * gap) / 2,
    gap,
    bar: Math.min(column - 2 * gap, 4.5 * type),
  };
}

/** Where the pair of bars of a candidate begins, and how wide each is: wide columns do not make fat bars. */
export function pair(place, i) {
  const width = Math.min(place.half, 4.5 * place.type);
  return { x: place.x(i) + place.column / 2 - width, width };
}

/** Where the single bar of a candidate begins. */
export function single(place, i) {
  return { x: place.x(i) + (place.column - place.bar) / 2, width: place.bar };
}

/** How many decimals fit over bars that are `room` pixels wide: 3, 2 or 0 for none. `extra` counts a sign. */
export function digitsThatFit(place, room, extra = 0) {
  return [3, 2].find((digits) => (digits + 1 + extra) * 0.56 * place.type <= room) ?? 0;
}
