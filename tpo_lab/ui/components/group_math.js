// The mathematics of one group, in the browser: the same rules as data, in the same arithmetic, as tpo_lab/group.
//
// Vectors have one entry per candidate. A score of null was not scored; a log-prob of null is a probability of 0.
// A test runs this file under node against the golden cases and against Python, for every rule of the registry.

const LARGEST = Number.MAX_VALUE;
const SMALLEST_NORMAL = 2 ** -1022;

const sum = (xs) => xs.reduce((total, x) => total + x, 0);
const max = (xs) => xs.reduce((a, b) => (b > a ? b : a), -Infinity);
const min = (xs) => xs.reduce((a, b) => (b < a ? b : a), Infinity);

/** True where a candidate was scored. */
export const counted = (scores) => scores.map((s) => s !== null);

/**
 * u_i = squash((s_i - centre_i) / guard(scale_i, amount)); exactly 0 for candidates without a score and for groups of
 * equal scores. `rule` holds the fields of a Python Rule, its strength applied.
 */
export function standardise(scores, rule) {
  const unit = unitOf(scores);
  if (unit.n < 2) {
    return scores.map((s) => (s !== null && rule.single === "raw" ? s : 0));
  }
  // Both sides of the division are in units of the larger of the span and what the denominator adds to it.
  const size = Math.max(unit.span, floorOfSize(rule, unit)) || 1;
  const ratio = unit.span / size;
  const total = sum(unit.members);
  return scores.map((s, i) => {
    if (s === null || unit.span === 0) return 0;
    const centre = rule.centre === "leave_one_out" ? (total - unit.d[i]) / (unit.n - 1) : unit.mean;
    const denominator = guarded(rule, unit, size, scaleOf(rule, unit, size, ratio, i));
    return denominator === 0 ? 0 : squash(rule, divide((unit.d[i] - centre) * ratio, denominator));
  });
}

/** log softmax over the counted candidates; -Infinity for the others and for a probability of 0. */
export function logSoftmax(logits, mask) {
  const possible = logits.map((l, i) => mask[i] && l > -Infinity);
  const level = fromTop(logits, possible);
  const total = sum(level.map((l, i) => (possible[i] ? Math.exp(l) : 0)));
  const logTotal = total > 0 ? Math.log(total) : 0;
  return level.map((l, i) => (possible[i] ? l - logTotal : -Infinity));
}

/** log q_i with q_i proportional to p_i exp(u_i / eta). */
export function logTarget(logP, u, eta, mask) {
  const possible = logP.map((l, i) => mask[i] && l > -Infinity);
  const temperature = Math.max(eta, SMALLEST_NORMAL);
  const tilt = fromTop(u, possible).map((x) => Math.max(divide(x, temperature), -LARGEST / 8));
  return logSoftmax(
    fromTop(logP, possible).map((level, i) => level + tilt[i]),
    possible,
  );
}

/** Everything that is drawn about a group: {counted, u, p, q, d} with d = q - p. */
export function describe({ scores, logP, eta, rule }) {
  const mask = counted(scores);
  const logits = logP.map((l) => (l === null ? -Infinity : l));
  const u = standardise(scores, rule);
  const p = logSoftmax(logits, mask).map(Math.exp);
  const q = logTarget(logits, u, eta, mask).map(Math.exp);
  return { counted: mask, u, p, q, d: q.map((x, i) => x - p[i]) };
}

/** The counted scores mapped to d in [0, 1], both ends taken, and what is said of them; null scores have d = 0. */
function unitOf(scores) {
  const real = scores.filter((s) => s !== null);
  const largest = max(real.map(Math.abs));
  // Scores near the largest float are halved (exactly), so that max - min is finite.
  const down = largest > LARGEST / 4 ? 0.5 : 1;
  const low = min(real) * down;
  const span = max(real) * down - low;
  const d = scores.map((s) => (s === null ? 0 : (s * down - low) / (span > 0 ? span : 1)));
  const members = d.filter((_, i) => scores[i] !== null);
  const mean = sum(members) / Math.max(members.length, 1);
  const squares = sum(members.map((x) => (x - mean) ** 2));
  return { scores, d, members, n: members.length, mean, squares, low, span, peak: largest * down, down };
}

/** The size of what stands in the denominator beside the spread, so that dividing by it can overflow nothing. */
function floorOfSize(rule, unit) {
  if (rule.scale === "none") return unit.down;
  return rule.scale === "mean" ? Math.max(unit.peak, extraOf(rule, unit)) : extraOf(rule, unit);
}

/** The guard's constant in the units of the span, bounded so that no strength overflows. */
function extraOf(rule, unit) {
  const limit = LARGEST / 4;
  const amount = Math.min(rule.amount, limit);
  const base = rule.guard === "relative_floor" ? unit.peak : unit.down;
  return amount * Math.min(base, limit / Math.max(amount, 1));
}

/** What divides, in units of `size`, before its guard. */
function scaleOf(rule, unit, size, ratio, i) {
  switch (rule.scale) {
    case "population":
      return Math.sqrt(unit.squares / unit.n) * ratio;
    case "sample":
      return Math.sqrt(unit.squares / (unit.n - 1)) * ratio;
    case "leave_one_out":
      return othersDeviation(unit, i) * ratio;
    case "centred":
      return Math.sqrt(unit.squares / (unit.n - 1)) * ratio * (rule.centre === "leave_one_out" ? unit.n / (unit.n - 1) : 1);
    case "mean":
      return unit.low / size + unit.mean * ratio;
    case "none":
      return oneScoreUnit(unit, size);
    default:
      throw new Error(`Unknown scale ${rule.scale}`);
  }
}

/** One unit of the score, for "no division". */
const oneScoreUnit = (unit, size) => unit.down / Math.max(size, SMALLEST_NORMAL);

function guarded(rule, unit, size, scale) {
  const extra = extraOf(rule, unit) / size;
  switch (rule.guard) {
    case "add":
      return scale + extra;
    case "add_if_positive":
      return scale > 0 ? scale + extra : oneScoreUnit(unit, size);
    case "cutoff":
      return scale > extra ? scale : oneScoreUnit(unit, size);
    case "floor":
    case "relative_floor":
      return Math.max(scale, extra);
    case "root":
      return Math.hypot(scale, extra);
    case "positive_mean":
      return scale > 0 ? scale + extra : 0;
    default:
      throw new Error(`Unknown guard ${rule.guard}`);
  }
}

function squash(rule, u) {
  if (rule.squash === "clip") return Math.min(Math.max(u, -rule.bound), rule.bound);
  return rule.squash === "tanh" ? rule.bound * Math.tanh(u / rule.bound) : u;
}

/** Sample standard deviation of the other counted scores; exactly 0 where they are equal. */
function othersDeviation(unit, i) {
  const others = unit.d.filter((_, j) => j !== i && unit.scores[j] !== null);
  const low = min(others);
  if (!(max(others) > low)) return 0;
  const mean = sum(others.map((x) => x - low)) / others.length;
  return Math.sqrt(sum(others.map((x) => (x - low - mean) ** 2)) / (others.length - 1));
}

/** How far each possible entry lies below the largest of them, at most a quarter of the largest float; 0 elsewhere. */
function fromTop(xs, possible) {
  const top = max(xs.filter((_, i) => possible[i]));
  return xs.map((x, i) => (possible[i] ? 2 * Math.max(0.5 * x - 0.5 * top, -LARGEST / 8) : 0));
}

/** The quotient; one beyond the largest float becomes the largest float. */
function divide(numerator, denominator) {
  const limit = LARGEST * Math.min(Math.abs(denominator), 1);
  return Math.min(Math.max(numerator, -limit), limit) / denominator;
}
