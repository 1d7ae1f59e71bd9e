// The ranges of the axes. Each is rounded outwards, so that a small change moves a bar and not the axis.

import { roundDown, snap } from "./numbers.js";

const TOPS = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** The axis of probabilities: from 0 to a round number that holds the largest. */
export function probabilityRange(values) {
  return [0, roundUp(Math.max(...values))];
}

/** The axis of q - p: round numbers on either side of 0; the smaller side is at least a quarter of the other. */
export function differenceRange(values) {
  const up = Math.max(...values, 0);
  const down = Math.max(...values.map((v) => -v), 0);
  const least = Math.max(up, down) / 4;
  return [-roundUp(Math.max(down, least)), roundUp(Math.max(up, least))];
}

/**
 * The axis of the scores, relative to the data: {range, base, span}. Bars start at 0 where 0 is near the scores, and at
 * their mean where it is far (1000.1, 1000.2): a difference that matters must be a length that shows.
 */
export function scoreScale(scores) {
  const real = scores.filter((s) => s !== null);
  const low = Math.min(...real);
  const high = Math.max(...real);
  const span = high - low;
  const far = span > 0 && (low > 3 * span || high < -3 * span);
  // Halves are added: a sum of scores of 1e300 could overflow.
  const base = far ? real.reduce((mean, s) => mean + s / real.length, 0) : 0;
  const [from, to] = far ? [low, high] : [Math.min(low, 0), Math.max(high, 0)];
  const length = to - from || 1;
  const step = roundDown(length / 4);
  const range = [outward(from, step, -1), outward(to, step, 1)];
  if (range[0] === range[1]) range[1] = 1;
  return { range, base, far, span: span || Math.abs(high) || 1 };
}

/** The union of two ranges: while a bar is dragged an axis grows and never shrinks. */
export function union(a, b) {
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

/** The linear map from a range to pixels. */
export function linear([low, high], [from, to]) {
  const perUnit = (to - from) / (high - low);
  return Number.isFinite(perUnit)
    ? (x) => from + (x - low) * perUnit
    : (x) => from + ((x - low) / (high - low)) * (to - from); // ranges near the smallest float
}

function roundUp(x) {
  return TOPS.find((top) => x <= top + 1e-12) ?? 1;
}

/** x, moved away from the data to a multiple of `step`, unless it is one already. */
function outward(x, step, direction) {
  const near = snap(x, step);
  if (Math.abs(near - x) <= 1e-9 * step) return near;
  return direction * (near - x) > 0 ? near : snap(near + direction * step, step);
}
