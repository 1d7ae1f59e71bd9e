// The group editor: draws what Python says, and what a gesture says ahead of Python.
//
// Python's answer wins, except while a gesture is ahead of it: then the scores, the policy and the selection drawn are
// the local ones, as is eta if the gesture moved it; the rule is taken over. After each drawing the root carries data-tpo-revision (the
// revision of Python's data, followed by "+n" after n local edits) and the property `drawn` (the numbers on screen).

import { tell } from "./channel.js";
import { Dial } from "./dial.js";
import { add, draw, followTheme, heightFor, set, typeSize, write } from "./dom.js";
import { addExports } from "./export.js";
import { describe } from "./group_math.js";
import { Input } from "./group_input.js";
import { Link } from "./link.js";
import { mounting } from "./mount.js";
import { brief, briefScore } from "./numbers.js";
import { Panels } from "./group_panels.js";

const HINT = "Drag a score or an old probability, or Tab to a bar and press ↑ ↓. Delete or double-click: no score.";

export default mounting(".group-editor", (root) => new Editor(root));

class Editor {
  constructor(root) {
    this.root = root;
    this.dial = new Dial(
      root,
      "Temperature η",
      (newEta, final) => this.change({ ...this.group, newEta }, final),
      () => this.end(),
    );
    this.readout = add(root, "div", "readout");
    this.svg = draw(root, "svg", "drawing", { role: "group", tabindex: -1, "aria-label": "Old policy, target and scores of the group" });
    this.hint = add(root, "div", "hint", { role: "status" });
    this.say(HINT);
    addExports(root, this.svg, "tpo-lab-group");
    this.panels = new Panels(this.svg);
    this.input = new Input(this, this.svg);
    this.link = new Link((edit) => this.report(edit));
    this.stop = { policy: 0, score: 0 }; // which candidate Tab reaches, per row of bars
    this.pointed = null;
    this.drag = null;
    this.edits = 0;
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
    tell(null);
  }

  receive(data, setStateValue) {
    this.report = (edit) => setStateValue("edit", edit);
    const resized = data.group.scores.length !== this.group?.scores.length;
    this.data = data;
    this.link.answer(data.echo);
    if (resized) this.drop();
    const { eta, rule } = data.group;
    if (!resized && (this.drag || this.link.ahead)) {
      this.group = { ...this.group, eta: this.group.newEta ?? eta, rule };
      this.result = describe(this.group);
    } else {
      this.group = { ...data.group, policy: null, newEta: null, selected: data.selected };
      this.result = data.result;
      this.edits = 0;
    }
    tell(this.group, this.edits > 0);
    this.root.style.setProperty("--tpo", data.colour);
    followTheme(this.root);
    this.render();
  }

  /** An edit of a gesture: drawn at once, then sent. */
  change(group, final) {
    if (group === this.group) return;
    const { eta, rule } = this.data.group; // a gesture may have begun under others
    this.group = { ...group, eta: group.newEta ?? eta, rule };
    this.result = describe(this.group);
    this.edits += 1;
    this.say(HINT);
    this.render();
    tell(this.group, true);
    const { scores, policy, newEta, selected } = group;
    this.link.push({ scores, policy, eta: newEta, selected }, final);
  }

  /** Say below the drawing why an edit was refused, until the next one; or say the hint again. */
  say(sentence) {
    write(this.hint, sentence);
    this.hint.classList.toggle("refused", sentence !== HINT);
  }

  select(i) {
    if (i !== this.group.selected) this.change({ ...this.group, selected: i }, true);
  }

  /** A drag begins: the axes stand still under the pointer. */
  hold(drag) {
    this.drag = drag;
    this.held = this.panels.axis;
  }

  end() {
    this.drag = null;
    this.held = null;
    this.link.finish();
    this.render();
  }

  /** Another group has come: a drag of the old one is over. */
  drop() {
    this.drag = null;
    this.held = null;
    this.input.pressed = null;
  }

  hover(i) {
    if (i === this.pointed) return;
    this.pointed = i;
    this.render();
  }

  focus(kind, i) {
    this.stop[kind] = i;
    this.hover(i);
    this.describeSliders();
  }

  moveFocus(kind, i) {
    this.panels.columns[i]?.[kind === "score" ? "sHandle" : "pHandle"].focus();
  }

  render() {
    this.width ||= this.svg.parentElement.getBoundingClientRect().width;
    const { width } = this;
    if (width === 0) return;
    this.root.style.fontSize = `${typeSize(width)}px`;
    this.dial.show(this.data.etas, this.group.eta);
    const hover = this.drag?.i ?? this.pointed;
    const view = { group: this.group, result: this.result, held: this.held, drag: this.drag, hover };
    this.panels.draw(view, width, heightFor(this.data.height, width, 0.58));
    this.writeReadout(hover ?? this.group.selected);
    this.describeSliders();
    this.root.drawn = { ...this.result, scores: this.group.scores, selected: this.group.selected };
    this.root.dataset.tpoRevision = this.data.revision + (this.edits ? `+${this.edits}` : "");
  }

  writeReadout(i) {
    const { group, result, panels } = this;
    if (i >= group.scores.length) return;
    const s = group.scores[i];
    const parts = [
      ["candidate", i + 1],
      ["s", s === null ? "none" : briefScore(s, panels.axis.score.span)],
      ["u", brief(result.u[i])],
      ["p", brief(result.p[i])],
      ["q", brief(result.q[i])],
      ["q − p", (result.d[i] > 0 ? "+" : "") + brief(result.d[i])],
    ];
    while (this.readout.children.length < parts.length) {
      const item = add(this.readout, "span");
      add(item, "span", "key");
      add(item, "b");
    }
    parts.forEach(([key, value], n) => {
      const [name, number] = this.readout.children[n].children;
      write(name, key);
      write(number, String(value));
    });
  }

  /** What a screen reader says of each bar. */
  describeSliders() {
    const { group, result, stop } = this;
    const [low, high] = this.panels.axis.score.range;
    for (const kind of ["policy", "score"]) stop[kind] = Math.min(stop[kind], group.scores.length - 1);
    this.panels.columns.forEach(({ pHandle, sHandle }, i) => {
      const s = group.scores[i];
      set(pHandle, {
        tabindex: i === stop.policy ? 0 : -1,
        "aria-label": `Old probability of candidate ${i + 1}`,
        "aria-valuemin": 0,
        "aria-valuemax": 1,
        "aria-valuenow": result.p[i],
        "aria-valuetext": `${brief(result.p[i])}, target ${brief(result.q[i])}`,
        "aria-disabled": s === null ? "true" : null,
      });
      set(sHandle, {
        tabindex: i === stop.score ? 0 : -1,
        "aria-label": `Score of candidate ${i + 1}`,
        "aria-valuemin": low,
        "aria-valuemax": high,
        "aria-valuenow": s ?? low,
        "aria-valuetext": s === null ? "no score" : `${brief(s, 6)}, target ${brief(result.q[i])}`,
      });
    });
  }
}
