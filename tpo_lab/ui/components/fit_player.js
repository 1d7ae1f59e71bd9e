// Plays a fit that Python computed: no server round trip while it runs.
//
// A new trajectory of the same group size keeps the step and goes on playing, so that a dragged eta or step size shows
// what it does to the policy at that step; a new `restart` value or another size goes back to step 0. After each
// drawing the root carries data-tpo-revision (of Python's data) and data-tpo-step.

import { add, draw, followTheme, heightFor, set, typeSize, write } from "./dom.js";
import { addExports } from "./export.js";
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
    this.readout = add(row, "div", "readout");
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
    this.width = 0; // as last measured: to ask again at each redraw makes the browser lay out the whole page in between
    this.observer = new ResizeObserver(() => {
      this.width = 0;
      if (this.data) this.render();
    });
  }

  open() {
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    this.pause();
  }

  receive(data) {
    const { restart, fit } = data;
    if (this.data && (restart !== this.data.restart || fit.q.length !== this.data.fit.q.length)) {
      this.pause();
      this.step = 0;
    }
    this.data = data;
    this.last = fit.residual.length - 1;
    this.step = Math.min(this.step, this.last);
    set(this.scrubber, { max: this.last });
    this.root.style.setProperty("--tpo", data.colour);
    followTheme(this.root);
    this.render();
  }

  render() {
    this.width ||= this.root.getBoundingClientRect().width;
    const { width } = this;
    if (width === 0) return;
    this.root.style.fontSize = `${typeSize(width)}px`;
    this.panels.plot(this.data.fit, width, heightFor(this.data.height, width, 0.36));
    this.show();
  }

  show() {
    const { step, last, root, data } = this;
    const { residual, loss, floor } = data.fit;
    this.panels.at(step);
    this.scrubber.value = step;
    const texts = [`${step} of ${last}`, brief(residual[step], 3), brief(loss[step], 4), brief(Math.max(loss[step] - floor, 0), 3)];
    texts.forEach((text, i) => write(this.numbers[i], text));
    set(this.svg, { "aria-label": `Step ${texts[0]}: residual ${texts[1]}, loss ${texts[2]}` });
    root.dataset.tpoRevision = data.revision;
    root.dataset.tpoStep = step;
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
    const scrubbing = event.target === this.scrubber;
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
