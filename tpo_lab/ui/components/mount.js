// How Streamlit mounts a component: again with every new data, on a root that stays.

const components = new WeakMap();

/**
 * The function that Streamlit calls. `make(root)` builds the component of a root once; it has open(), close() and
 * receive(data, setStateValue).
 */
export function mounting(selector, make) {
  return ({ data, parentElement, setStateValue }) => {
    const root = parentElement.querySelector(selector);
    if (!components.has(root)) components.set(root, { component: make(root), mounts: 0 });
    const entry = components.get(root);
    const mount = (entry.mounts += 1);
    entry.component.open();
    entry.component.receive(data, setStateValue);
    // Streamlit also calls this for a mount that another one has replaced.
    return () => mount === entry.mounts && entry.component.close();
  };
}
