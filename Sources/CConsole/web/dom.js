// Makes elements. Text only ever becomes text: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node|string|number|null|undefined|false|any[]} Child
 * @typedef {(tag: string, attributes?: Record<string, any>|null, ...children: Child[]) => any} Make
 */

/** An element with attributes, listeners (`onclick`) and properties (`.value`).
 * @type {Make} */
export const h = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

/** The same for a drawing.
 * @type {Make} */
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** @param {Child[]} children */
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
 * Shows something in the place of what was there. Who has the focus in it keeps that: on what is
 * called the same, on what stands where it was, or on the place itself while that has nothing.
 * @param {any} parent
 * @param {...Child} children
 */
export function show(parent, ...children) {
  const active = document.activeElement;
  const had = active === parent ? held.get(parent) : parent.contains(active) && {
    name: named(active), index: controls(parent).indexOf(active),
  };
  parent.replaceChildren();
  add(parent, children);
  if (!had) return;
  const all = controls(parent);
  const [same] = all.filter(one => named(one) === had.name).sort((one, other) =>
    Math.abs(all.indexOf(one) - had.index) - Math.abs(all.indexOf(other) - had.index));
  const next = same ?? all[Math.min(had.index, all.length - 1)];
  if (!next) held.set(parent, had);
  reach(next ?? parent);
}

/** What had the focus in a place that has nothing at present. */
const held = new WeakMap();

/** @returns {any[]} */
const controls = place => [...place.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter(one => !one.disabled);

const named = one =>
  one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent;

/** Gives the focus to something, or to the first in it that takes it. */
export function reach(place) {
  const all = [place, ...controls(place)];
  const first = all.find(one => one.tabIndex >= 0) ?? place;
  if (first === place && place.tabIndex < 0) place.tabIndex = -1;
  first.focus();
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
