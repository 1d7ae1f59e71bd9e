// Edits on their way to Python. At most one is under way: while the server answers slowly, those in between are
// dropped, because a newer edit would interrupt the run that computes the numbers of the last one.

const SHORTEST_MS = 100;
const LONGEST_MS = 600;

export class Link {
  /** `send(edit)` delivers; `now` and `later(f, ms)` are the clock (a test brings its own). */
  constructor(send, now = () => performance.now(), later = (f, ms) => setTimeout(f, ms)) {
    Object.assign(this, { send, now, later, sent: 0, sentAt: -LONGEST_MS, answered: 0, pause: SHORTEST_MS });
    this.waiting = null; // the newest edit, if it has not left
    this.unfinished = null; // the newest edit, if no final one has followed
    this.planned = 0;
  }

  /** Deliver an edit: the final one of a gesture at once, others when the server keeps up. */
  push(edit, final) {
    this.waiting = { ...edit, final };
    this.unfinished = final ? null : edit;
    if (final) this.deliver();
    else this.plan();
  }

  /** End a gesture: Python hears its last edit once more, as the final one. */
  finish() {
    if (this.unfinished) this.push(this.unfinished, true);
  }

  /** Python has answered the edit `seq`. The next one leaves after as long again, for what the page draws below. */
  answer(seq) {
    if (seq <= this.answered) return;
    this.answered = seq;
    if (seq === this.sent) {
      this.pause = Math.min(Math.max(2 * (this.now() - this.sentAt), SHORTEST_MS), LONGEST_MS);
    }
    if (this.waiting) this.plan();
  }

  /** Whether Python has yet to answer, or to be told: until then the local state is the newer one. */
  get ahead() {
    return this.waiting !== null || this.answered < this.sent;
  }

  plan() {
    const pause = this.answered < this.sent ? LONGEST_MS : this.pause;
    const due = this.sentAt + pause - this.now();
    if (due <= 0) {
      this.deliver();
      return;
    }
    const ticket = (this.planned += 1); // a later plan replaces this one
    this.later(() => ticket === this.planned && this.waiting && this.plan(), due);
  }

  deliver() {
    // Numbered by the clock: a component that is mounted again must not count from 1 below an old answer.
    this.sent = Math.max(this.sent + 1, Date.now());
    this.sentAt = this.now();
    const edit = { ...this.waiting, seq: this.sent };
    this.waiting = null;
    this.send(edit);
  }
}
