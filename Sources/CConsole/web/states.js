// The states of a view: loading, shown, failed, stale; and buttons and toasts.

import { post, Problem } from "./api.js";
import { autoText, focusFirst, h, patch, show } from "./dom.js";
import { read } from "./stream.js";
import { now, utc } from "./times.js";
import { t } from "./words.js";

const SKELETON_DELAY = 150;
const RETRY_FIRST = 2_000;
const RETRY_LAST = 30_000;

/** The first wait after the end of a stream, in milliseconds. */
const RELOAD_FIRST = 500;

/** The running views by root.
 * @type {Map<HTMLElement, AbortController>} */
const views = new Map();

export function endViews() {
  for (const view of views.values()) view.abort();
  views.clear();
}

/**
 * A stream of events instead of polling.
 * @template T
 * @typedef {object} Stream
 * @property {() => string} path
 * @property {(name: string, data: any) => T|undefined|Promise<T|undefined>} onEvent
 *   returns the value to draw; undefined if there is nothing to draw
 */

/**
 * Loads a value and draws it. Draws again at each event of the stream; without a stream, loads and
 * draws again every `every` milliseconds. While the service is unreachable, the last drawing stays,
 * marked as stale, and loading is retried. A view ends when the user leaves the page, or when
 * another view begins in its root.
 * @template T
 * @param {() => Promise<T>} load
 * @param {(value: T) => import("./dom.js").Child} draw
 * @param {number} [every] milliseconds
 * @param {Stream<T>} [stream]
 * @returns {Promise<void>} resolves after the first attempt
 */
export async function liveView(root, load, draw, every, stream) {
  const view = new AbortController();
  views.get(root)?.abort();
  views.set(root, view);
  // If new data cause this call, not the user, it waits while a details element is open.
  const isUpdate = root.closest("[data-news]") !== null;
  let wait = RETRY_FIRST;
  // The wait before the next load and stream. It is doubled after a stream without events.
  let reloadWait = RELOAD_FIRST;
  let drawnAt = "";
  const isOver = () => view.signal.aborted || !root.isConnected;
  let timer = null;
  const schedule = delay => {
    // A retry by the user must not leave a second timer running.
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isOver()) return;
      if (!document.hidden) return void attempt();
      document.addEventListener("visibilitychange", () => isOver() || attempt(), { once: true });
    }, delay);
  };
  const skeleton = setTimeout(
    () => !isOver() && !root.hasChildNodes() && show(root, waiting()), SKELETON_DELAY);
  root.setAttribute("aria-busy", "true");

  async function attempt() {
    try {
      const value = await load();
      while (isUpdate && !isOver() && root.querySelector("details[open]")) await pause();
      if (isOver()) return;
      wait = RETRY_FIRST;
      markFresh();
      show(root, draw(value));
      // The stream begins when the page becomes visible.
      if (stream && document.hidden) schedule(0);
      else if (stream) followStream(stream).then(isRefused => {
        schedule(isRefused ? every : reloadWait);
        reloadWait = Math.min(reloadWait * 2, every ?? RETRY_LAST);
      });
      else if (every) schedule(every);
    } catch (error) {
      if (isOver()) return;
      if (drawnAt && isUnreachable(error)) markStale(root, drawnAt);
      else show(root, errorNotice(error, attempt));
      if (!isUnreachable(error)) return;
      schedule(wait);
      wait = Math.min(wait * 2, RETRY_LAST);
    } finally {
      clearTimeout(skeleton);
      if (!view.signal.aborted) root.removeAttribute("aria-busy");
    }
  }

  function markFresh() {
    drawnAt = utc(now());
    clearStale(root);
  }

  /** Draws the events of a stream until it ends or the page is hidden.
   * @param {Stream<T>} stream
   * @returns {Promise<boolean>} whether the service refused the stream */
  async function followStream({ path, onEvent }) {
    const ending = new AbortController();
    const abortIfOver = () => (document.hidden || isOver()) && ending.abort();
    view.signal.addEventListener("abort", abortIfOver);
    document.addEventListener("visibilitychange", abortIfOver);
    const isRefused = await read(path(), ending.signal, async (name, data) => {
      const value = await onEvent(name, data);
      if (isOver()) return ending.abort();
      reloadWait = RELOAD_FIRST;
      markFresh();
      if (value !== undefined) patch(root, draw(value));
    }).catch(() => false);
    view.signal.removeEventListener("abort", abortIfOver);
    document.removeEventListener("visibilitychange", abortIfOver);
    return isRefused;
  }
  await attempt();
}

export const isUnreachable = error => error instanceof Problem && error.isUnreachable;

const pause = () => new Promise(resolve => { setTimeout(resolve, 300); });

const waiting = () => h("div", { class: "skeleton", "aria-hidden": "true" },
  Array.from({ length: 6 }, () => h("span")));

/** @param {HTMLElement} root */
export function markStale(root, since) {
  if (root.classList.contains("stale")) return;
  root.classList.add("stale");
  root.prepend(h("p", { class: "notice offline", role: "status" }, t("offline", { since })));
}

/** @param {HTMLElement} root */
export function clearStale(root) {
  root.classList.remove("stale");
  root.querySelector(":scope > .offline")?.remove();
}

/**
 * Loads a module. Shows failures and retries. Never resolves if the user leaves the page.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export const loadModule = (root, load) => new Promise(resolve => {
  liveView(root, () => load().catch(throwUnreachable), module => { resolve(module); return null; });
});

/** Throws a failure of `fetch` or `import` as the problem "unreachable".
 * @returns {never} */
export function throwUnreachable(error) {
  throw error instanceof TypeError ? new Problem(0, "unreachable") : error;
}

/** @param {() => void} [retry] */
export function errorNotice(error, retry) {
  return h("div", { class: "notice bad", role: "alert" },
    h("p", null, h("b", null, "✕ ", autoText(title(error)))),
    error.detail && h("p", null, autoText(error.detail)),
    retry && button(t("retry"), retry));
}

const title = error => isUnreachable(error) ? t("unreachable") : error.message;

export const empty = text => h("p", { class: "empty" }, text);

/**
 * A button that appends the next page to a list; focus moves to the first new element.
 * @param {any} next the cursor of the next page
 * @param {(next: any) => Promise<any[]>} load returns the elements of a page, and the next cursor
 */
export function moreButton(list, next, load) {
  const more = button(t("more"), async () => {
    if (!next) return;
    const [items, after] = await load(next);
    next = after;
    list.append(...items);
    if (more === document.activeElement && (items.length || !next)) focusFirst(items[0] ?? list);
    if (!next) more.remove();
  });
  return more;
}

/** Downloads a file by a ticket, because a link sends no token. */
export async function saveByTicket(tickets) {
  const { path } = await post(tickets);
  h("a", { href: path, download: true }).click();
}

export function download(text, type, name) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/**
 * A button that shows the errors of its action and ignores clicks while the action runs.
 * @param {(event: any) => any} act
 * @param {string} [kind]
 * @param {string} [name] the accessible name, if it differs from the label
 * @returns {HTMLButtonElement}
 */
export function button(label, act, kind, name) {
  let isBusy = false;
  const press = async event => {
    if (isBusy) return;
    isBusy = true;
    try {
      await act(event);
    } catch (error) {
      showError(error);
    } finally {
      isBusy = false;
    }
  };
  return h("button", { type: "button", class: kind, "aria-label": name, onclick: press }, label);
}

/** The milliseconds for which a toast without pointer and focus stays. */
const TOAST_MS = 8_000;

/** The element that had the focus before the toast. */
let origin = null;
/** Ends the current toast without its action.
 * @type {() => any} */
let endToast = () => {};
export const finishToast = () => endToast();

/**
 * Shows a message, with an optional action such as undo. The message disappears by itself, unless
 * `isLasting`.
 * @param {{label: string, act: () => any, otherwise?: () => any}} [action] `otherwise` runs when
 *   the toast ends without the action
 */
export function toast(text, action, isLasting = false) {
  const root = /** @type {HTMLElement} */ (document.getElementById("toast"));
  endToast();
  if (!root.contains(document.activeElement)) origin = document.activeElement;
  const timer = setInterval(() => {
    if (!isLasting && !root.matches(":hover, :focus-within")) end(action?.otherwise);
  }, TOAST_MS);
  const end = then => {
    clearInterval(timer);
    endToast = () => {};
    if (root.contains(document.activeElement)) {
      (origin?.isConnected ? origin : document.getElementById("main")).focus();
    }
    show(root);
    return then?.();
  };
  endToast = () => end(action?.otherwise);
  show(root, h("span", { dir: "auto" }, text),
    action && button(action.label, () => end(action.act)),
    button("✕", endToast, "close", t("close")));
}

export const showError = error =>
  toast(`✕ ${[title(error), error.detail].filter(Boolean).join(": ")}`, undefined, true);

export const statusStream = {
  path: () => "/v1/status/stream",
  onEvent: (name, status) => name === "status" ? status : undefined,
};
