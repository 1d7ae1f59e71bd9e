// Pointer and keyboard on the bars of the group editor. A gesture reports edited groups; it draws nothing.

import { withProbability, withScore, withToggled, weights } from "./group_model.js";
import { counted } from "./group_math.js";
import { roundDown, snap } from "./numbers.js";

const LAST = "This score stays: a group needs one that the old policy can reach.";
const CLICK_PIXELS = 3; // a press that moves less selects

export class Input {
  /** `host` has group, panels, drag, and change(group, final), say(text), select(i), hover(i), end(). */
  constructor(host, svg) {
    this.host = host;
    this.remembered = new Map(); // scores that were taken away, by candidate
    this.step = null;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", () => this.release());
    svg.addEventListener("pointercancel", () => this.release());
    svg.addEventListener("pointerleave", () => host.hover(null));
    svg.addEventListener("dblclick", (event) => event.target.dataset.kind === "score" && this.toggle(indexOf(event)));
    svg.addEventListener("focusin", (event) => this.focus(event));
    svg.addEventListener("focusout", () => this.blur());
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("keyup", () => host.end());
  }

  press(event) {
    const i = indexOf(event);
    if (i === null || event.button !== 0) return;
    const { host } = this;
    const { kind } = event.target.dataset;
    const { group } = host;
    event.target.setPointerCapture(event.pointerId);
    const movable = kind === "score" ? group.scores[i] !== null : kind === "policy" && mayMove(group, i);
    const base = weights(group);
    this.pressed = {
      kind,
      i,
      group,
      base,
      movable,
      y: event.clientY,
      start: kind === "score" ? group.scores[i] : base[i],
      perPixel: kind ? host.panels.perPixel(kind) : 0,
    };
  }

  move(event) {
    const { host, pressed } = this;
    if (!pressed) {
      host.hover(indexOf(event));
      return;
    }
    const up = pressed.y - event.clientY;
    if (!pressed.movable || (!host.drag && Math.abs(up) < CLICK_PIXELS)) return;
    if (!host.drag) host.hold(pressed);
    const { kind, i, group, base, start, perPixel } = pressed;
    const value = start + up * perPixel;
    if (kind === "score") {
      host.change(withScore(group, i, nearest(value, group.scores, i, perPixel)), false);
    } else {
      host.change(withProbability(group, i, snap(value, roundDown(perPixel)), base), false);
    }
  }

  release() {
    const { host, pressed } = this;
    if (!pressed) return;
    this.pressed = null;
    if (host.drag) host.end();
    else host.select(pressed.i);
  }

  focus(event) {
    const { kind } = event.target.dataset;
    if (!kind) return;
    const { axis } = this.host.panels;
    // Fixed while the focus stays: the span, and so the step, would change under the keys.
    this.step = roundDown((kind === "score" ? axis.score.span : axis.policy[1]) / 20);
    this.host.focus(kind, indexOf(event));
  }

  blur() {
    this.host.hover(null);
    if (!this.pressed) this.host.end(); // a key may still be held
  }

  key(event) {
    const { kind } = event.target.dataset;
    const i = indexOf(event);
    if (!kind || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.keyed(event.key, kind, i);
    if (to === null) return;
    event.preventDefault();
    to(!event.repeat);
  }

  /** What a key does, as a function of whether the edit is final; null for keys that do nothing here. */
  keyed(key, kind, i) {
    const { host, step } = this;
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[key];
    if (steps) return (final) => this.nudge(kind, i, steps * step, final);
    if (key === "ArrowLeft") return () => host.moveFocus(kind, i - 1);
    if (key === "ArrowRight") return () => host.moveFocus(kind, i + 1);
    if (key === "Enter" || key === " ") return () => host.select(i);
    if (key === "Home" || key === "End") return (final) => this.extreme(kind, i, key === "End", final);
    if ((key === "Delete" || key === "Backspace") && kind === "score") return () => this.toggle(i);
    return null;
  }

  nudge(kind, i, by, final) {
    const { host } = this;
    const { group } = host;
    const step = Math.abs(by);
    if (kind === "score") {
      if (group.scores[i] !== null) host.change(withScore(group, i, snapNear(group.scores[i] + by, step / 5)), final);
    } else {
      host.change(withProbability(group, i, snapNear(weights(group)[i] + by, step / 5)), final);
    }
  }

  extreme(kind, i, high, final) {
    const { host } = this;
    const { group } = host;
    if (kind === "policy") {
      host.change(withProbability(group, i, high ? 1 : 0), final);
    } else if (group.scores[i] !== null) {
      const real = group.scores.filter((s) => s !== null);
      host.change(withScore(group, i, high ? Math.max(...real) : Math.min(...real)), final);
    }
  }

  toggle(i) {
    const { host } = this;
    const { scores } = host.group;
    if (scores[i] !== null) this.remembered.set(i, scores[i]);
    const others = scores.filter((s) => s !== null);
    const back = this.remembered.get(i) ?? Math.min(...others);
    const toggled = withToggled(host.group, i, back);
    if (toggled === host.group) host.say(LAST);
    else host.change(toggled, true);
  }
}

function indexOf(event) {
  const { i } = event.target.dataset;
  return i === undefined ? null : Number(i);
}

/** A probability can move if the candidate counts and another can give or take. */
function mayMove(group, i) {
  const mask = counted(group.scores);
  return mask[i] && mask.filter(Boolean).length > 1;
}

/** The dragged value on a round grid, caught by 0 and by the other scores: a tie must be possible with a pointer. */
function nearest(value, scores, i, perPixel) {
  const caught = [0, ...scores.filter((s, j) => s !== null && j !== i)].find((s) => Math.abs(s - value) < 2.5 * perPixel);
  return caught ?? snap(value, roundDown(perPixel));
}

/** Removes the dust of binary fractions only: a step from .1234 leads to .1734, not to a grid. */
function snapNear(value, step) {
  const snapped = snap(value, step * 1e-6);
  return Math.abs(snapped) < step * 1e-6 ? 0 : snapped;
}
