// A slider over a list of values. It answers while it is dragged, and says its value also where that is between stops.

import { add, set, write } from "./dom.js";
import { brief } from "./numbers.js";

export class Dial {
  /** `moved(value, final)` hears of each stop, `ended()` of the end of a drag or of a held key. */
  constructor(parent, label, moved, ended) {
    const box = add(parent, "label", "dial");
    add(box, "span", "key").textContent = label;
    this.input = add(box, "input", "", { type: "range", min: 0, step: 1, "aria-label": label });
    this.value = add(box, "b");
    this.going = false; // a drag or a held key: it has an end of its own
    this.input.addEventListener("pointerdown", () => (this.going = true));
    this.input.addEventListener("keydown", (event) => (this.going = event.repeat));
    this.input.addEventListener("input", () => moved(this.stops[this.input.value], !this.going));
    const end = () => {
      if (this.going) ended();
      this.going = false;
    };
    for (const name of ["pointerup", "pointercancel", "keyup", "blur"]) this.input.addEventListener(name, end);
  }

  /** Stand at a value; `stops` is sorted and positive, and the nearest one by ratio has the handle. */
  show(stops, value) {
    this.stops = stops;
    const off = stops.map((stop) => Math.abs(Math.log(stop / value)));
    set(this.input, { max: stops.length - 1, "aria-valuetext": brief(value) });
    this.input.value = off.indexOf(Math.min(...off));
    write(this.value, brief(value));
  }
}
