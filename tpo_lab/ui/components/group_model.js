// What an edit does to a group. A group is {scores, logP, eta, rule, policy, newEta, selected}: `policy` is null until a
// probability is edited, then the weights to send back; `newEta` is null until eta is. Every function returns a new
// group, in which the edited candidate is the selected one, or the same group if the edit is not allowed.

import { counted, logSoftmax } from "./group_math.js";

const HIGHEST = 0.999; // at 1 the others would be 0 for good, and their ratios lost

/** Old probabilities as weights: those of the counted candidates sum to 1, the others keep their ratio to them. */
export function weights(group) {
  const mask = counted(group.scores);
  const logits = group.logP.map((l) => (l === null ? -Infinity : l));
  const inside = logSoftmax(logits, mask);
  const at = inside.findIndex((l) => l > -Infinity);
  const shift = at < 0 ? 0 : logits[at] - inside[at];
  return logits.map((l, i) => Math.min(Math.exp(mask[i] ? inside[i] : l - shift), 1e300));
}

/** One score set to a number. */
export function withScore(group, i, value) {
  const limited = Math.min(Math.max(value, -1e300), 1e300);
  return { ...group, selected: i, scores: group.scores.map((s, j) => (j === i ? limited : s)) };
}

/** A score removed, or given back as `value`; the last one that p_old can reach stays. */
export function withToggled(group, i, value) {
  if (group.scores[i] === null) return withScore(group, i, value);
  const scores = group.scores.map((s, j) => (j === i ? null : s));
  return scores.some((s, j) => s !== null && group.logP[j] !== null) ? { ...group, selected: i, scores } : group;
}

/** p_old of one candidate set; `base`, the weights when the drag began, says how the others share the rest. */
export function withProbability(group, i, value, base = weights(group)) {
  const mask = counted(group.scores);
  const others = mask.map((m, j) => m && j !== i);
  if (!others.includes(true) || !mask[i]) return group;
  const p = Math.min(Math.max(value, 0), HIGHEST);
  const rest = base.reduce((total, w, j) => (others[j] ? total + w : total), 0);
  const size = others.filter(Boolean).length;
  const policy = base.map((w, j) => {
    if (j === i) return p;
    if (!others[j]) return w;
    return rest > 0 ? (w / rest) * (1 - p) : (1 - p) / size;
  });
  return { ...group, selected: i, policy, logP: policy.map((w) => (w > 0 ? Math.log(w) : null)) };
}
