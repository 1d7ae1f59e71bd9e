// Draws one step of a fit: the policy on its way to the target, and where the residual and the loss have got to.

import { bar, draw, keep, set, typeSize, write } from "./dom.js";
import { brief, decimals, ticks } from "./numbers.js";
import { linear, probabilityRange } from "./scales.js";

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const DECADES = 12; // what lies further below the start is drawn at the bottom: it is rounding

export class PlayerPanels {
  constructor(svg) {
    this.svg = svg;
    this.bars = axisNodes(svg, "");
    const { title } = this.bars;
    draw(title, "tspan", "swatch-p").textContent = "■ ";
    draw(title, "tspan").textContent = "policy p now";
    draw(title, "tspan", "swatch-q", { dx: "1.2em" }).textContent = "□ ";
    draw(title, "tspan").textContent = "target q";
    draw(title, "tspan", "swatch-old", { dx: "1.2em" }).textContent = "– ";
    draw(title, "tspan").textContent = "old p";
    this.columns = [];
    this.residual = curveNodes(svg, "residual ‖p − q‖, log axis");
    this.loss = curveNodes(svg, "loss −Σ q log p, nats");
    this.floor = draw(svg, "line", "floor");
    this.floorText = draw(svg, "text", "tick halo");
    this.still = draw(svg, "text", "still");
    this.candidate = draw(svg, "text", "tick");
    write(this.candidate, "candidate");
  }

  /** Draw a new trajectory {p, q, residual, loss, floor} at a size; `at(step)` then moves along it. */
  plot(fit, width, height) {
    const type = typeSize(width);
    const middle = 0.55 * width;
    const right = width - 0.6 * type;
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.svg.style.fontSize = `${type}px`;
    this.fit = fit;
    this.isStill = fit.residual[0] < 1e-12;
    this.type = type;
    this.plotBars({ left: 5.2 * type, right: middle - type, top: 1.9 * type, bottom: height - 1.6 * type });
    const left = middle + 4.4 * type;
    const split = height / 2;
    const last = fit.residual.length - 1;
    this.steps = linear([0, Math.max(last, 1)], [left + 0.5 * type, right - 0.5 * type]);
    this.plotResidual({ left, right, top: 1.9 * type, bottom: split - 0.8 * type });
    this.plotLoss({ left, right, top: split + 1.7 * type, bottom: height - 1.6 * type });
    set(this.still, { x: left, y: split / 2 + 0.6 * type });
    write(this.still, this.isStill ? "0 from the start: p is q already, nothing moves." : "");
  }

  /** Show one step. */
  at(step) {
    const { fit, type } = this;
    this.columns.forEach((nodes, i) => {
      const p = fit.p[step][i];
      bar(nodes.now, nodes.x, nodes.width, this.height(0), this.height(p));
      set(nodes.text, { x: nodes.x + nodes.width / 2, y: this.height(p) - 0.35 * type });
      write(nodes.text, this.room > 2.5 * type ? decimals(p, 3) : "");
    });
    const x = this.steps(step);
    set(this.residual.dot, { cx: x, cy: this.residual.y(fit.residual[step]) });
    set(this.loss.dot, { cx: x, cy: this.loss.y(fit.loss[step]) });
    set(this.residual.passed, { d: this.path(this.residual, fit.residual, step) });
    set(this.loss.passed, { d: this.path(this.loss, fit.loss, step) });
  }

  plotBars(box) {
    const { fit, type } = this;
    const k = fit.q.length;
    const range = probabilityRange([...fit.q, ...fit.p[0]]);
    this.height = linear(range, [box.bottom, box.top + 1.2 * type]);
    moveAxis(this.bars, box, type, ticks(range[0], range[1], 3), this.height, (value) => brief(value));
    keep(this.columns, k, () => makeColumn(this.svg));
    set(this.candidate, { x: box.left - 0.5 * type, y: box.bottom + 1.25 * type });
    const room = (box.right - box.left) / k;
    this.room = room;
    const every = [1, 2, 4, 8, 16].find((n) => n * room > 2 * type) ?? 16;
    this.columns.forEach((nodes, i) => {
      nodes.width = Math.max(Math.min(room * 0.7, 5 * type), 2);
      nodes.x = box.left + (i + 0.5) * room - nodes.width / 2;
      bar(nodes.goal, nodes.x, nodes.width, this.height(0), this.height(fit.q[i]));
      const y = this.height(fit.p[0][i]);
      set(nodes.old, { x1: nodes.x - 3, x2: nodes.x + nodes.width + 3, y1: y, y2: y });
      set(nodes.name, { x: nodes.x + nodes.width / 2, y: box.bottom + 1.25 * type });
      write(nodes.name, i === 0 || (i + 1) % every === 0 ? String(i + 1) : "");
    });
  }

  plotResidual(box) {
    const { fit, type } = this;
    const top = Math.ceil(Math.log10(Math.max(fit.residual[0], 1e-12)) + 1e-9);
    const smallest = fit.residual.reduce((least, r) => (r > 0 && r < least ? r : least), fit.residual[0] || 1);
    const bottom = Math.max(Math.min(Math.floor(Math.log10(smallest)), top - 1), top - DECADES);
    const map = linear([bottom, top], [box.bottom, box.top]);
    this.residual.y = (r) => map(Math.max(r > 0 ? Math.log10(r) : bottom, bottom));
    const marks = this.isStill ? [] : ticks(bottom, top, 3).filter(Number.isInteger);
    moveAxis(this.residual, box, type, marks, map, powerOfTen);
    this.drawCurve(this.residual, box, fit.residual);
  }

  plotLoss(box) {
    const { fit, type } = this;
    const { floor } = fit;
    const high = Math.max(...fit.loss, floor);
    const length = high - floor > 1e-9 * Math.max(high, 1) ? high - floor : Math.max(high, 1) * 0.1;
    const range = [floor - 0.12 * length, floor + 1.05 * length];
    const map = linear(range, [box.bottom, box.top]);
    this.loss.y = map;
    moveAxis(this.loss, box, type, ticks(range[0], range[1], 2), map, (value) => brief(value));
    set(this.floor, { x1: box.left, x2: box.right, y1: map(floor), y2: map(floor) });
    set(this.floorText, { x: box.right, y: map(floor) - 0.35 * type });
    write(this.floorText, "floor H(q)");
    this.drawCurve(this.loss, box, fit.loss);
    set(this.loss.unit, { x: box.right, y: box.bottom + 1.25 * type });
    write(this.loss.unit, `step ${fit.residual.length - 1}`);
    set(this.loss.first, { x: box.left, y: box.bottom + 1.25 * type });
    write(this.loss.first, "0");
  }

  drawCurve(nodes, box, values) {
    const all = this.path(nodes, values, values.length - 1);
    set(nodes.ahead, { d: all });
    set(nodes.dot, { r: 0.38 * this.type });
  }

  path({ y }, values, last) {
    let d = "";
    for (let step = 0; step <= last; step += 1) {
      d += `${step ? "L" : "M"}${this.steps(step).toFixed(1)},${y(values[step]).toFixed(1)}`;
    }
    return d;
  }
}

function axisNodes(svg, title) {
  const g = draw(svg, "g");
  const nodes = { g, lines: [], labels: [], base: draw(g, "line", "zero"), title: draw(g, "text", "title") };
  if (title) nodes.title.textContent = title;
  return nodes;
}

function curveNodes(svg, title) {
  const nodes = axisNodes(svg, title);
  const make = (tag, className) => draw(nodes.g, tag, className);
  return Object.assign(nodes, {
    ahead: make("path", "curve ahead"),
    passed: make("path", "curve"),
    dot: make("circle", "dot"),
    first: make("text", "tick first"),
    unit: make("text", "tick"),
  });
}

function makeColumn(svg) {
  const g = draw(svg, "g");
  const make = (tag, className) => draw(g, tag, className);
  const nodes = { now: make("rect", "p"), goal: make("rect", "goal"), old: make("line", "old") };
  Object.assign(nodes, { text: make("text", "value"), name: make("text", "name"), remove: () => g.remove() });
  return nodes;
}

function moveAxis({ g, lines, labels, base, title }, box, type, marks, map, text) {
  set(title, { x: box.left, y: box.top - 0.7 * type });
  set(base, { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom });
  keep(lines, marks.length, () => g.insertBefore(draw(g, "line", "grid"), base));
  keep(labels, marks.length, () => draw(g, "text", "tick"));
  marks.forEach((value, i) => {
    const y = map(value);
    set(lines[i], { x1: box.left, x2: box.right, y1: y, y2: y });
    set(labels[i], { x: box.left - 0.5 * type, y: y + 0.34 * type });
    write(labels[i], text(value));
  });
}

function powerOfTen(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[digit]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}
