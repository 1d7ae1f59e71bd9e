// The phases of a walk as a row of tabs, and buttons that go through them: Back, Play and Step, also by the keys B, P, S.
//
// One element instead of five: as a control and three buttons of Streamlit's they took a fifth of a press. It marks the
// next phase at once, and plays by itself: each phase stays for a while after Python has drawn it.

import { add, keep, set, write } from "./dom.js";
import { mounting } from "./mount.js";

/** Whether a key pressed on `node` is typed there. */
export const typing = (node) => Boolean(node?.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node?.tagName ?? ""));

/** Where an arrow key leads to among `count` tabs; null for any other key. */
export function along(key, at, count) {
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), count - 1);
}

class Stepper {
  constructor(root) {
    this.root = root;
    this.row = add(root, "div", "tabs", { role: "radiogroup" });
    this.tabs = [];
    this.back = this.button("Back", "B", () => this.walk(this.at - 1));
    this.play = this.button("Play", "P", () => this.toggle());
    this.step = this.button("Step", "S", () => this.walk(this.at + 1));
    this.keys = { b: this.back, p: this.play, s: this.step };
    this.at = 0;
    this.data = null;
    this.playing = false;
    this.timer = null;
    this.sent = null; // the number of what Python has yet to answer
    this.count = Date.now();
    this.pressed = (event) => this.key(event);
  }

  button(text, key, run) {
    const node = add(this.root, "button", "go", { type: "button", "aria-label": text, "aria-keyshortcuts": key });
    const label = add(node, "span");
    write(label, text);
    add(node, "kbd").textContent = key;
    node.addEventListener("click", run);
    return node;
  }

  tab(i) {
    const node = add(this.row, "button", "tab", { type: "button", role: "radio" });
    node.addEventListener("click", () => this.walk(i));
    node.addEventListener("keydown", (event) => {
      const to = along(event.key, this.at, this.tabs.length);
      if (to === null) return;
      event.preventDefault();
      this.walk(to);
      this.tabs[to].focus();
    });
    return node;
  }

  open() {
    document.addEventListener("keydown", this.pressed);
  }

  close() {
    document.removeEventListener("keydown", this.pressed);
    this.rest();
  }

  receive(data, setStateValue) {
    this.data = data;
    this.send = (at) => setStateValue("at", { at, count: (this.sent = this.count += 1) });
    if (this.sent === null || this.sent === data.answered) {
      this.sent = null; // else Python answers an earlier press
      this.at = data.at;
    }
    keep(this.tabs, data.labels.length, (i) => this.tab(i));
    this.mark();
    if (this.playing) this.wait();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.composedPath()[0])) return;
    const button = this.keys[event.key.toLowerCase()];
    if (button && !button.disabled) button.click();
  }

  /** Go to a phase that a person chose: it ends the playing. */
  walk(at) {
    this.rest();
    this.go(at);
  }

  go(at) {
    if (at === this.at || at < 0 || at >= this.tabs.length) return this.mark();
    this.at = at;
    this.mark();
    this.send(at);
  }

  toggle() {
    if (this.playing) {
      this.rest();
      return this.mark();
    }
    this.playing = true;
    if (this.at === this.tabs.length - 1) this.go(0);
    else this.wait();
    this.mark();
  }

  /** Go on after a while; the last phase ends the playing. */
  wait() {
    clearTimeout(this.timer);
    if (this.at === this.tabs.length - 1) {
      this.rest();
      return this.mark();
    }
    this.timer = setTimeout(() => this.go(this.at + 1), 1000 * this.data.seconds);
  }

  rest() {
    clearTimeout(this.timer);
    this.playing = false;
  }

  mark() {
    set(this.row, { "aria-label": this.data.name });
    this.tabs.forEach((tab, i) => {
      const here = i === this.at;
      write(tab, this.data.labels[i]);
      set(tab, { "aria-checked": here, tabindex: here ? 0 : -1 });
    });
    this.back.disabled = this.at === 0;
    this.step.disabled = this.at === this.tabs.length - 1;
    const what = this.playing ? "Pause" : "Play";
    write(this.play.firstChild, what);
    set(this.play, { "aria-label": what });
  }
}

export default mounting(".stepper", (root) => new Stepper(root));
