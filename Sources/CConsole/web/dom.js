// Makes elements. Text only ever becomes text: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node|string|number|null|undefined|false|any[]} Child
 */

/**
 * An element with attributes, listeners (`onclick`) and properties (`.value`).
 * @param {Record<string, any>|null} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * The same for a drawing.
 * @param {Record<string, any>|null} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @param {Record<string, any>|null|undefined} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
function add(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) add(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Shows something in the place of what was there.
 * @param {Element} parent
 * @param {...Child} children
 */
export function show(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

/**
 * Makes what is there look like something new, in place: who has the focus on a part of it, or has
 * selected some, keeps that. Listeners stay those of before.
 * @param {Element} parent
 * @param {...Child} children
 */
export function refresh(parent, ...children) {
  const fresh = /** @type {Element} */ (parent.cloneNode(false));
  add(fresh, children);
  match(parent, fresh);
}

/**
 * @param {any} old
 * @param {any} fresh
 */
function match(old, fresh) {
  if (old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  after.forEach((node, index) =>
    index < before.length ? match(before[index], node) : old.append(node));
  for (const node of before.slice(after.length)) node.remove();
}

/** What a person or the service wrote: its own direction, whatever the page's is. */
export const said = text => h("span", { dir: "auto" }, text);

/** An id, apart from the direction of what is around it. */
export const id = text => h("bdi", { class: "id" }, text);

/**
 * @param {string} [kind]
 * @returns {HTMLButtonElement}
 */
export const button = (label, act, kind = "") =>
  h("button", { type: "button", class: kind || null, onclick: act }, label);
