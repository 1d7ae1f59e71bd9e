// The group on screen, told by the drawing in which it is edited to the others of the page. Each component is a module
// of its own, so they meet at the document.

const EVENT = "tpo-lab-group";

/** Say which group is drawn, and whether a gesture has made it ahead of Python; null once there is none. */
export function tell(group, ahead = false) {
  document.dispatchEvent(new CustomEvent(EVENT, { detail: group && { group, ahead } }));
}

/** Call `take({group, ahead} or null)` at each `tell`; returns a function that ends it. */
export function hear(take) {
  const heard = (event) => take(event.detail);
  document.addEventListener(EVENT, heard);
  return () => document.removeEventListener(EVENT, heard);
}
