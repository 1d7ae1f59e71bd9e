// How numbers are written, and the round numbers that axes, steps and snapping use. Pure functions.

const MINUS = "\u2212";

/** The number with a typographic minus, at most `digits` significant digits, and no idle zeros. */
export function brief(x, digits = 4) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4
      ? x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e")
      : String(Number(x.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1))));
  return text.replaceAll("-", MINUS);
}

/** A score, with as many digits as it takes to tell it from others that lie `span` apart. */
export function briefScore(x, span) {
  const apart = span > 0 && x !== 0 ? Math.ceil(Math.log10(Math.abs(x) / span)) : 0;
  return brief(x, Math.min(Math.max(apart + 3, 4), 15));
}

/** A probability in [0, 1] with `digits` decimals and no leading zero: ".333", "<.001". */
export function decimals(p, digits) {
  if (p === 0) return "0";
  if (p < 0.5 * 10 ** -digits) return `<${(10 ** -digits).toFixed(digits).slice(1)}`;
  const text = p.toFixed(digits);
  return text.startsWith("0") ? text.slice(1) : "1";
}

/** A signed difference of probabilities with `digits` decimals: "+.473", "\u2212.237", "≈0". */
export function signed(d, digits) {
  if (d === 0) return "0";
  const text = decimals(Math.abs(d), digits);
  const sign = d > 0 ? "+" : MINUS;
  return text.startsWith("<") ? "≈0" : sign + text;
}

/** The largest of 1, 2, 5 times a power of ten that is at most x > 0. */
export function roundDown(x) {
  const power = Math.floor(Math.log10(x));
  const lead = x / 10 ** power;
  const digit = lead >= 5 ? 5 : lead >= 2 ? 2 : 1;
  return tidy(digit * 10 ** power) || x;
}

/** x to the nearest multiple of `step`, without the dust of binary fractions. */
export function snap(x, step) {
  const steps = Math.round(x / step);
  return Number.isFinite(steps) && Math.abs(steps) < 2 ** 52 ? tidy(steps * step) : x;
}

/** Ticks at round numbers that cover [low, high] from within, about `count` of them. */
export function ticks(low, high, count) {
  const step = roundDown((high - low) / Math.max(count, 1)) || 1;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && found.length < 50; i += 1) {
    found.push(tidy(i * step));
  }
  return found;
}

function tidy(x) {
  return Number(x.toPrecision(12));
}
