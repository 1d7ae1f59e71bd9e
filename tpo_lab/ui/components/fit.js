// The fit, in the browser: tpo_lab/group/fit.py in the same arithmetic. A test holds it to Python under node.

import { describe, logSoftmax } from "./group_math.js";

/**
 * z <- z - stepSize (softmax(z) - q) from z = log p_old, with the target q of the group frozen. Returns {p, q, residual,
 * loss, floor} with entry 0 before the first step: residual ||p - q||, loss -sum_i q_i log p_i, floor H(q).
 */
export function fit(group, stepSize, steps) {
  const { counted, q } = describe(group);
  let z = group.logP.map((l) => (l === null ? -Infinity : l));
  const reachable = z.map((l, i) => counted[i] && l > -Infinity);
  const found = { p: [], q, residual: [], loss: [], floor: crossEntropy(q.map(Math.log), q) };
  for (let step = 0; step <= steps; step += 1) {
    const logP = logSoftmax(z, reachable);
    const p = logP.map(Math.exp);
    found.p.push(p);
    found.residual.push(Math.hypot(...p.map((x, i) => x - q[i])));
    found.loss.push(crossEntropy(logP, q));
    z = z.map((l, i) => (reachable[i] ? l - stepSize * (p[i] - q[i]) : l));
  }
  return found;
}

/** -sum_i q_i log p_i over the candidates with q_i > 0. */
function crossEntropy(logP, q) {
  return -logP.reduce((total, l, i) => (q[i] > 0 ? total + q[i] * l : total), 0);
}
