// Draws a group: old policy and target, their difference, and the scores. Makes nodes once per number of candidates,
// then only moves them.

import { bar, draw, keep, set, write } from "./dom.js";
import { digitsThatFit, layout, pair, single } from "./group_layout.js";
import { brief, briefScore, decimals, signed, ticks } from "./numbers.js";
import { differenceRange, linear, probabilityRange, scoreScale, union } from "./scales.js";

const PANELS = ["policy", "difference", "score"];

export class Panels {
  constructor(svg) {
    this.svg = svg;
    const hatch = draw(draw(svg, "defs"), "pattern", "", {
      id: "no-score",
      width: 8,
      height: 8,
      patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)",
    });
    draw(hatch, "rect", "hatch", { width: 2, height: 8 });
    this.bands = draw(svg, "g");
    this.axes = Object.fromEntries(PANELS.map((name) => [name, this.makeAxis(name)]));
    this.columns = [];
    this.makeTitles();
  }

  /** Draw {group, result, held, hover, drag} at a size; returns the axes, which a drag holds still. */
  draw(view, width, height) {
    const { group, result } = view;
    const place = layout(width, height, group.scores.length);
    this.place = place;
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.svg.style.fontSize = `${place.type}px`;
    this.axis = axesOf(group, result, view.held);
    this.digits = {
      policy: digitsThatFit(place, pair(place, 0).width + 0.8 * place.gap),
      difference: digitsThatFit(place, place.column - 4, 1),
      score: scoreLabelsFit(group.scores, this.axis.score.span, place),
    };
    this.maps = Object.fromEntries(PANELS.map((name) => [name, linear(this.rangeOf(name), this.pixelsOf(name))]));
    keep(this.columns, place.k, (i) => this.makeColumn(i));
    this.moveTitles(result);
    for (const name of PANELS) this.moveAxis(name);
    this.columns.forEach((column, i) => this.moveColumn(column, i, view, this.digits));
    return this.axis;
  }

  /** How much a score or probability changes per pixel, on the axis that is drawn. */
  perPixel(name) {
    const [low, high] = this.rangeOf(name);
    const [bottom, top] = this.pixelsOf(name);
    return high / (bottom - top) - low / (bottom - top);
  }

  rangeOf(name) {
    return name === "score" ? this.axis.score.range : this.axis[name];
  }

  /** The pixels of an axis, [bottom, top]; values that fit stand outside their bars, above them or below. */
  pixelsOf(name) {
    const { top, bottom } = this.place.panels[name];
    const room = this.digits[name] ? 1.35 * this.place.type : 4;
    const down = name === "difference" || (name === "score" && this.axis.score.range[0] < this.axis.score.base);
    return [down ? bottom - room : bottom, top + room];
  }

  makeAxis(name) {
    const g = draw(this.svg, "g", `axis ${name}`);
    return { g, lines: [], labels: [], zero: draw(g, "line", "zero"), note: draw(g, "text", "note") };
  }

  moveAxis(name) {
    const { g, lines, labels, zero, note } = this.axes[name];
    const { place } = this;
    const map = this.maps[name];
    const score = name === "score";
    const range = this.rangeOf(name);
    const right = place.width - 0.4 * place.type;
    const marks = this.marksOf(name, range, map);
    keep(lines, marks.length, () => g.insertBefore(draw(g, "line", "grid"), zero));
    keep(labels, marks.length, () => draw(g, "text", "tick"));
    marks.forEach((value, i) => {
      const y = map(value);
      set(lines[i], { x1: place.left, x2: right, y1: y, y2: y });
      set(labels[i], { x: place.left - 0.5 * place.type, y: y + 0.34 * place.type });
      write(labels[i], score ? briefScore(value, range[1] - range[0]) : brief(value));
    });
    const y = map(score ? this.axis.score.base : 0);
    set(zero, { x1: place.left, x2: right, y1: y, y2: y });
    set(note, { x: right, y: y - 0.3 * place.type });
    write(note, score && this.axis.score.far ? "mean" : "");
  }

  marksOf(name, range, map) {
    if (name !== "difference") return ticks(range[0], range[1], name === "policy" ? 4 : 2);
    // Its ends are round numbers already, and there is little height.
    return [range[0], 0, range[1]].filter((value) => value === 0 || Math.abs(map(value) - map(0)) > this.place.type);
  }

  makeTitles() {
    this.candidate = draw(this.svg, "text", "tick");
    write(this.candidate, "candidate");
    this.titles = Object.fromEntries(PANELS.map((name) => [name, draw(this.svg, "text", "title")]));
    const policy = this.titles.policy;
    draw(policy, "tspan", "swatch-p").textContent = "■ ";
    draw(policy, "tspan").textContent = "old policy p";
    draw(policy, "tspan", "swatch-q", { dx: "1.2em" }).textContent = "■ ";
    draw(policy, "tspan").textContent = "target q";
    this.titles.score.textContent = "score s";
  }

  moveTitles({ d }) {
    set(this.candidate, { x: this.place.left - 0.5 * this.place.type, y: this.place.labels });
    for (const name of PANELS) set(this.titles[name], { x: this.place.left, y: this.place.panels[name].title });
    write(this.titles.difference, d.every((x) => x === 0) ? "q − p: zero, nothing moves" : "q − p");
  }

  makeColumn(i) {
    const band = draw(this.bands, "rect", "band", { "data-i": i });
    const g = draw(this.svg, "g", "column");
    const make = (tag, className) => draw(g, tag, className);
    const nodes = {
      band,
      g,
      pBar: make("rect", "bar p"),
      qBar: make("rect", "bar q"),
      dBar: make("rect", "bar d"),
      sBar: make("rect", "bar s"),
      none: make("rect", "none"),
      pGrip: make("rect", "grip"),
      sGrip: make("rect", "grip"),
      label: make("text", "name"),
      pText: make("text", "value p"),
      qText: make("text", "value q"),
      dText: make("text", "value d"),
      sText: make("text", "value s"),
      noneText: make("text", "value no-score"),
    };
    const slider = (kind, orientation = "vertical") =>
      draw(g, "rect", "handle", { role: "slider", "data-kind": kind, "data-i": i, "aria-orientation": orientation });
    nodes.pHandle = slider("policy");
    nodes.sHandle = slider("score");
    nodes.remove = () => [band, g].forEach((node) => node.remove());
    return nodes;
  }

  moveColumn(nodes, i, view, digits) {
    const { place } = this;
    const { panels } = place;
    const chosen = i === view.group.selected;
    set(nodes.band, {
      x: place.x(i),
      y: panels.policy.top,
      width: place.column,
      height: panels.score.bottom - panels.policy.top,
      class: `band${chosen ? " selected" : ""}${i === view.hover ? " hover" : ""}`,
    });
    const middle = place.x(i) + place.column / 2;
    set(nodes.label, { x: middle, y: place.labels, class: chosen ? "name selected" : "name" });
    write(nodes.label, i === 0 || (i + 1) % place.every === 0 || chosen ? String(i + 1) : "");
    this.movePolicy(nodes, i, view, digits.policy);
    this.moveDifference(nodes, i, view.result, digits.difference);
    this.moveScore(nodes, i, view, digits.score);
  }

  movePolicy(nodes, i, { result, drag }, digits) {
    const { place } = this;
    const { x, width } = pair(place, i);
    const map = this.maps.policy;
    const dragged = drag?.kind === "policy" && drag.i === i;
    bar(nodes.pBar, x, width, map(0), map(result.p[i]));
    bar(nodes.qBar, x + width, width, map(0), map(result.q[i]));
    grip(nodes.pGrip, x, width, map(result.p[i]), result.counted[i] && place.k > 1);
    const above = 0.35 * place.type;
    set(nodes.pText, { x: x + width / 2, y: map(result.p[i]) - above });
    set(nodes.qText, { x: x + 1.5 * width, y: map(result.q[i]) - above });
    write(nodes.pText, dragged ? decimals(result.p[i], 3) : digits ? decimals(result.p[i], digits) : "");
    write(nodes.qText, digits ? decimals(result.q[i], digits) : "");
    const { top, bottom } = place.panels.policy;
    set(nodes.pHandle, { x: place.x(i), y: top, width: x + width - place.x(i), height: bottom - top });
  }

  moveDifference(nodes, i, { d }, digits) {
    const { place } = this;
    const map = this.maps.difference;
    const { x, width } = single(place, i);
    bar(nodes.dBar, x, width, map(0), map(d[i]));
    set(nodes.dBar, { class: d[i] < 0 ? "bar d minus" : "bar d" });
    set(nodes.dText, { x: x + width / 2, y: map(d[i]) + (d[i] < 0 ? 1.05 : -0.3) * place.type });
    write(nodes.dText, digits ? signed(d[i], digits) : "");
  }

  moveScore(nodes, i, { group, drag }, fits) {
    const { place } = this;
    const { base, span } = this.axis.score;
    const map = this.maps.score;
    const score = group.scores[i];
    const missing = score === null;
    const dragged = drag?.kind === "score" && drag.i === i;
    const { x, width } = single(place, i);
    const { top, bottom } = place.panels.score;
    const y = missing ? map(base) : map(score);
    bar(nodes.sBar, x, width, map(base), y);
    grip(nodes.sGrip, x, width, y, !missing);
    const up = missing || score >= base;
    set(nodes.sText, { x: x + width / 2, y: y + (up ? -0.35 : 1.1) * place.type, class: dragged ? "value s dragged" : "value s" });
    write(nodes.sText, missing || !(fits || dragged) ? "" : briefScore(score, span));
    set(nodes.none, { x, width, y: top + 4, height: missing ? bottom - top - 4 : 0 });
    const wide = place.column > 4.6 * place.type;
    set(nodes.noneText, { x: x + width / 2, y: (top + bottom) / 2 + 0.35 * place.type });
    write(nodes.noneText, missing && place.column > 1.5 * place.type ? (wide ? "no score" : "–") : "");
    set(nodes.sHandle, { x: place.x(i), y: top, width: place.column, height: bottom - top });
  }
}

/** The axes of all panels; those `held` by a drag grow but do not shrink. */
function axesOf({ scores }, { p, q, d }, held) {
  const axis = {
    policy: probabilityRange([...p, ...q]),
    difference: differenceRange(d),
    score: scoreScale(scores),
  };
  if (!held) return axis;
  const real = scores.filter((s) => s !== null);
  return {
    policy: union(held.policy, [0, Math.max(...p, ...q)]),
    difference: union(held.difference, axis.difference),
    score: { ...held.score, range: union(held.score.range, [Math.min(...real), Math.max(...real)]) },
  };
}

/** The mark at the end of a bar that can be dragged. */
function grip(node, x, width, y, shown) {
  const size = Math.min(width, 44);
  const thick = width > 16 ? 5 : 2; // many thick marks would drown the bars
  set(node, { x: x + (width - size) / 2, width: size, y: y - thick / 2, height: shown ? thick : 0, rx: thick / 2 });
}

function scoreLabelsFit(scores, span, place) {
  const longest = Math.max(...scores.map((s) => (s === null ? 0 : briefScore(s, span).length)));
  return longest * 0.58 * place.type <= place.column;
}
