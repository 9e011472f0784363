// Creates elements. Strings become text nodes; no markup is parsed.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node|string|number|null|undefined|false|any[]} Child
 * @typedef {(tag: string, attributes?: Record<string, any>|null, ...children: Child[]) => any} Make
 */

/** Creates an element with attributes, listeners (`onclick`) and properties (`.value`).
 * @type {Make} */
export const h = (tag, attributes, ...children) =>
  setUp(document.createElement(tag), attributes, children);

/** @type {Make} */
export const svg = (tag, attributes, ...children) =>
  setUp(document.createElementNS(SVG, tag), attributes, children);

/** @param {Child[]} children */
function setUp(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  appendAll(element, children);
  return element;
}

/** @param {Node} parent
 * @param {Child[]} children */
function appendAll(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) appendAll(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Replaces the children. If one of the parent's controls has the focus, the focus moves to the
 * nearest new control of the same name, else to the control at the same index. If the parent has
 * no control now, the parent gets the focus.
 * @param {...Child} children
 */
export function show(parent, ...children) {
  const active = document.activeElement;
  const oldFocus = active === parent ? pendingFocus.get(parent) : parent.contains(active) && {
    name: controlName(active), index: controls(parent).indexOf(active),
  };
  parent.replaceChildren();
  appendAll(parent, children);
  if (!oldFocus) return;
  const all = controls(parent);
  const distance = control => Math.abs(all.indexOf(control) - oldFocus.index);
  const [same] = all.filter(control => controlName(control) === oldFocus.name)
    .sort((a, b) => distance(a) - distance(b));
  const next = same ?? all[Math.min(oldFocus.index, all.length - 1)];
  if (!next) pendingFocus.set(parent, oldFocus);
  focusFirst(next ?? parent);
}

/** For a parent without controls: the name and the index of its last focused control. */
const pendingFocus = new WeakMap();

/** @returns {any[]} */
const controls = element => [...element.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter(control => !control.disabled);

const controlName = control =>
  control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent ?? control.textContent;

export function focusFirst(element) {
  const all = [element, ...controls(element)];
  const first = all.find(control => control.tabIndex >= 0) ?? element;
  if (first === element && element.tabIndex < 0) element.tabIndex = -1;
  first.focus();
}

/**
 * Changes the children so that they equal the new ones. They keep their focus, selection and
 * listeners.
 * @param {...Child} children
 */
export function patch(parent, ...children) {
  const next = /** @type {Element} */ (parent.cloneNode(false));
  appendAll(next, children);
  patchNode(parent, next);
}

/** @param {any} old
 * @param {any} next */
function patchNode(old, next) {
  if (old.nodeName !== next.nodeName) return old.replaceWith(next);
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const [oldNodes, newNodes] = [[...old.childNodes], [...next.childNodes]];
  newNodes.forEach((node, index) =>
    index < oldNodes.length ? patchNode(oldNodes[index], node) : old.append(node));
  for (const node of oldNodes.slice(newNodes.length)) node.remove();
}

/** @returns {Promise<any>} */
export const loadStyle = name => new Promise((resolve, reject) => {
  if (document.querySelector(`link[href="${name}"]`)) return resolve(null);
  const link = h("link", { rel: "stylesheet", href: name, onload: resolve, onerror: () => {
    link.remove();
    reject(new TypeError(name));
  } });
  document.head.append(link);
});

/** A text of a person or the service; the browser detects its direction. */
export const autoText = text => h("span", { dir: "auto" }, text);

/** Names, each in its own direction.
 * @param {string[]} names */
export const nameList = names => names.map((name, index) => [index > 0 && ", ", autoText(name)]);

/** An id; the direction of the text around it does not affect it. */
export const id = text => h("bdi", { class: "id" }, text);
