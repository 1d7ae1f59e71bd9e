// Plays the fit of Python's group, or of the one that a gesture in the group editor has made ahead of Python.
//
// A new trajectory of the same group size keeps the step and goes on playing, so that a dragged eta or step size shows
// what it does to the policy at that step; a new `restart` value or another size goes back to step 0. After each
// drawing the root carries data-tpo-revision (of Python's data, followed by "+n" after n local changes) and
// data-tpo-step.

import { hear } from "./channel.js";
import { Dial } from "./dial.js";
import { add, draw, followTheme, heightFor, set, typeSize, write } from "./dom.js";
import { addExports } from "./export.js";
import { fit } from "./fit.js";
import { mounting } from "./mount.js";
import { brief } from "./numbers.js";
import { PlayerPanels } from "./player_panels.js";

const STEPS_PER_SECOND = 12;
const LONGEST_SECONDS = 8; // long fits play faster

export default mounting(".fit-player", (root) => new Player(root));

class Player {
  constructor(root) {
    this.root = root;
    this.svg = draw(root, "svg", "drawing", { role: "img" });
    this.panels = new PlayerPanels(this.svg);
    const row = add(root, "div", "controls");
    const button = (text, press, title) => {
      const node = add(row, "button", "", { type: "button", title });
      node.textContent = text;
      node.addEventListener("click", press);
      return node;
    };
    this.play = button("Play", () => this.toggle(), "Space");
    button("Step", () => this.go(this.step + 1), "Right arrow");
    button("Reset", () => this.go(0), "Home");
    this.scrubber = add(row, "input", "", { type: "range", min: 0, step: 1, "aria-label": "Step of the fit" });
    this.scrubber.addEventListener("input", () => this.go(Number(this.scrubber.value)));
    this.dial = new Dial(
      row,
      "Step size α",
      (size, final) => this.resize(size, final),
      () => this.settle(),
    );
    this.readout = add(root, "div", "readout");
    this.numbers = ["step", "‖p − q‖", "loss", "above the floor"].map((name) => {
      const item = add(this.readout, "span");
      add(item, "span", "key").textContent = name;
      return add(item, "b");
    });
    set(root, { tabindex: 0, role: "group", "aria-label": "Player of the fit: space plays and pauses, arrows step" });
    root.addEventListener("keydown", (event) => this.key(event));
    addExports(root, this.svg, "tpo-lab-fit");
    this.step = 0;
    this.timer = null;
    this.told = null; // the group that the editor draws, and whether it is ahead of Python
    this.size = null; // a step size that is ahead of Python
    this.edits = 0;
    this.width = 0; // as last measured: to ask again at each redraw makes the browser lay out the whole page in between
    this.observer = new ResizeObserver(() => {
      this.width = 0;
      if (this.data) this.render();
    });
  }

  open() {
    this.observer.observe(this.root);
    this.deafen ??= hear((told) => this.follow(told));
  }

  close() {
    this.observer.disconnect();
    this.deafen();
    this.deafen = null;
    this.pause();
  }

  receive(data, setStateValue) {
    this.report = (size) => setStateValue("step_size", size);
    const restarted = this.data && data.restart !== this.data.restart;
    this.data = data;
    if (this.size === data.stepSize) this.size = null;
    if (!this.told?.ahead) this.told = null;
    if (!this.told && this.size === null) this.edits = 0;
    set(this.scrubber, { max: data.steps });
    this.root.style.setProperty("--tpo", data.colour);
    followTheme(this.root);
    this.compute(restarted);
  }

  /** The editor draws another group: a gesture's, or Python's, whose data may come here a moment later. */
  follow(told) {
    this.told = told;
    if (!told || !this.data) return;
    this.edits = told.ahead || this.size !== null ? this.edits + 1 : 0;
    this.compute();
  }

  /** Another step size; Python hears of it at the end of a gesture. */
  resize(size, final) {
    this.size = size;
    this.edits += 1;
    this.compute();
    if (final) this.settle();
  }

  settle() {
    if (this.size !== null) this.report(this.size);
  }

  compute(restarted = false) {
    const { data } = this;
    const group = this.told?.group ?? data.group;
    const size = this.size ?? data.stepSize;
    if (restarted || (this.fit && group.scores.length !== this.fit.q.length)) {
      this.pause();
      this.step = 0;
    }
    this.fit = fit(group, size, data.steps);
    this.step = Math.min(this.step, data.steps);
    this.dial.show(data.stepSizes, size);
    this.render();
  }

  render() {
    this.width ||= this.root.getBoundingClientRect().width;
    const { width } = this;
    if (width === 0) return;
    this.root.style.fontSize = `${typeSize(width)}px`;
    this.panels.plot(this.fit, width, heightFor(this.data.height, width, 0.36));
    this.show();
  }

  show() {
    const { step, last, root } = this;
    const { residual, loss, floor } = this.fit;
    this.panels.at(step);
    this.scrubber.value = step;
    const texts = [`${step} of ${last}`, brief(residual[step], 3), brief(loss[step], 4), brief(Math.max(loss[step] - floor, 0), 3)];
    texts.forEach((text, i) => write(this.numbers[i], text));
    set(this.svg, { "aria-label": `Step ${texts[0]}: residual ${texts[1]}, loss ${texts[2]}` });
    root.dataset.tpoRevision = this.data.revision + (this.edits ? `+${this.edits}` : "");
    root.dataset.tpoStep = step;
  }

  get last() {
    return this.data.steps;
  }

  /** A step that a person chose: it ends the playing. */
  go(step) {
    this.pause();
    this.step = Math.min(Math.max(step, 0), this.last);
    this.show();
  }

  toggle() {
    if (this.timer !== null) {
      this.pause();
      return;
    }
    if (this.step >= this.last) this.step = 0;
    this.show();
    write(this.play, "Pause");
    const rate = Math.max(STEPS_PER_SECOND, this.last / LONGEST_SECONDS);
    this.timer = setInterval(() => this.advance(), 1000 / rate);
  }

  advance() {
    if (this.step < this.last) {
      this.step += 1;
      this.show();
    }
    if (this.step >= this.last) this.pause();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    write(this.play, "Play");
  }

  key(event) {
    const scrubbing = event.target.tagName === "INPUT";
    const press = {
      " ": event.target.tagName === "BUTTON" ? null : () => this.toggle(),
      ArrowRight: scrubbing ? null : () => this.go(this.step + 1),
      ArrowLeft: scrubbing ? null : () => this.go(this.step - 1),
      Home: scrubbing ? null : () => this.go(0),
      End: scrubbing ? null : () => this.go(this.last),
    }[event.key];
    if (!press || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    press();
  }
}
