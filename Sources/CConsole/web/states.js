// What every page goes through: loading, there, wrong, out of reach; and what its buttons say.

import { post, Problem } from "./api.js";
import { h, reach, refresh, said, show } from "./dom.js";
import { read } from "./stream.js";
import { now, utc } from "./times.js";
import { t } from "./words.js";

const SKELETON_AFTER = 150;
const RETRY_FIRST = 2_000;
const RETRY_LAST = 30_000;

const SOON = 500;

/** What shows itself again and again, by its place.
 * @type {Map<HTMLElement, AbortController>} */
const runs = new Map();

/** Ends what the page before this one still waits for. */
export function nextTurn() {
  for (const run of runs.values()) run.abort();
  runs.clear();
}

/**
 * What tells of news, so that nobody has to ask for them.
 * @template T
 * @typedef {object} Stream
 * @property {() => string} path
 * @property {(name: string, data: any) => T|undefined|Promise<T|undefined>} take
 *   `take` gives what is to be drawn; nothing where that is done or not needed
 */

/**
 * Loads something and draws it, again and again if `every` says so, or as a stream tells of it:
 * then it asks only while there is no stream. While the service is out of reach what was drawn
 * stays, greyed, and it is tried again. It ends with the page, and when something else is loaded
 * into the place.
 * @template T
 * @param {HTMLElement} place
 * @param {() => Promise<T>} load
 * @param {(value: T) => import("./dom.js").Child} draw
 * @param {number} [every] milliseconds
 * @param {Stream<T>} [stream]
 * @returns {Promise<void>} when it has been tried once
 */
export async function live(place, load, draw, every, stream) {
  const run = new AbortController();
  runs.get(place)?.abort();
  runs.set(place, run);
  // What comes by itself waits for who has opened something meanwhile, and would lose it.
  const isNews = place.closest("[data-news]") !== null;
  let wait = RETRY_FIRST;
  let drawn = "";
  const isOver = () => run.signal.aborted || !place.isConnected;
  let timer = null;
  const again = after => {
    // Who has tried it meanwhile has not begun a second round.
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isOver()) return;
      if (!document.hidden) return void attempt();
      document.addEventListener("visibilitychange", () => isOver() || attempt(), { once: true });
    }, after);
  };
  const skeleton = setTimeout(() => !isOver() && !drawn && show(place, waiting()), SKELETON_AFTER);
  place.setAttribute("aria-busy", "true");

  async function attempt() {
    try {
      const value = await load();
      while (isNews && !isOver() && place.querySelector("details[open]")) await rest();
      if (isOver()) return;
      wait = RETRY_FIRST;
      note();
      show(place, draw(value));
      // Whoever has hidden it meanwhile sees it followed when it is seen again.
      if (stream && document.hidden) again(0);
      else if (stream) flow(stream).then(wasOpen => again(wasOpen ? SOON : every));
      else if (every) again(every);
    } catch (error) {
      if (isOver()) return;
      if (drawn && isAway(error)) grey(place, drawn);
      else show(place, trouble(error, attempt));
      if (!isAway(error)) return;
      again(wait);
      wait = Math.min(wait * 2, RETRY_LAST);
    } finally {
      clearTimeout(skeleton);
      if (!run.signal.aborted) place.removeAttribute("aria-busy");
    }
  }

  function note() {
    drawn = utc(now());
    freshen(place);
  }

  /**
   * Draws what a stream tells until it ends, or until nobody looks.
   * @param {Stream<T>} stream
   * @returns {Promise<boolean>} whether there was one
   */
  async function flow({ path, take }) {
    const ending = new AbortController();
    const look = () => (document.hidden || isOver()) && ending.abort();
    run.signal.addEventListener("abort", look);
    document.addEventListener("visibilitychange", look);
    let wasOpen = false;
    await read(path(), ending.signal, async (name, data) => {
      const value = await take(name, data);
      if (isOver()) return ending.abort();
      note();
      if (value !== undefined) refresh(place, draw(value));
    }, () => { wasOpen = true; }).catch(() => null);
    run.signal.removeEventListener("abort", look);
    document.removeEventListener("visibilitychange", look);
    return wasOpen;
  }
  await attempt();
}

/** Whether the service is out of reach. */
export const isAway = error => error instanceof Problem && error.isUnreachable;

const rest = () => new Promise(then => { setTimeout(then, 300); });

const waiting = () => h("div", { class: "skeleton", "aria-hidden": "true" },
  h("span"), h("span"), h("span"));

/** Says of what is there that it may be old.
 * @param {HTMLElement} place */
export function grey(place, since) {
  if (place.classList.contains("stale")) return;
  place.classList.add("stale");
  place.prepend(h("p", { class: "notice offline", role: "status" }, t("offline", { since })));
}

/** Takes that back.
 * @param {HTMLElement} place */
export function freshen(place) {
  place.classList.remove("stale");
  place.querySelector(":scope > .offline")?.remove();
}

/**
 * Loads a part of the program, which is out of reach while the service is. Until it is there that
 * is shown; who has gone to another page waits for nothing.
 * @template T
 * @param {HTMLElement} place
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export const loaded = (place, load) => new Promise(then => {
  live(place, () => load().catch(unreached), part => { then(part); return null; });
});

/** What failed because the service could not be reached says that.
 * @returns {never} */
export function unreached(error) {
  throw error instanceof TypeError ? new Problem(0, "unreachable") : error;
}

/**
 * What is wrong, in the service's words, and the way on.
 * @param {() => void} [retry]
 */
export function trouble(error, retry) {
  return h("div", { class: "notice bad", role: "alert" },
    h("p", null, h("b", null, "✕ ", said(title(error)))),
    error.detail && h("p", null, said(error.detail)),
    retry && button(t("retry"), retry));
}

const title = error => isAway(error) ? t("unreachable") : error.message;

export const empty = text => h("p", { class: "empty" }, text);

/**
 * A button that adds what is behind a list; who has pressed it goes on at the first of that.
 * @param {Element} list
 * @param {any} next what is behind it
 * @param {(next: any) => Promise<any[]>} load the elements, and what is behind them
 */
export function further(list, next, load) {
  const more = button(t("more"), async () => {
    if (!next) return;
    const [items, after] = await load(next);
    next = after;
    list.append(...items);
    if (more === document.activeElement && (items.length || !next)) reach(items[0] ?? list);
    if (!next) more.remove();
  });
  return more;
}

/** Saves what a ticket is good for: a browser sends no token along. */
export async function save(tickets) {
  const { path } = await post(tickets);
  h("a", { href: path, download: true }).click();
}

/** Saves what is here. */
export function download(text, type, name) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/**
 * Says what it could not do; what is pressed again while it is at work does nothing twice.
 * @param {(event: any) => any} act
 * @param {string} [kind]
 * @param {string} [name] what it is called for who does not see what it stands beside
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
      complain(error);
    } finally {
      isBusy = false;
    }
  };
  return h("button", { type: "button", class: kind, "aria-label": name, onclick: press }, label);
}

/** What had the focus before the message did. */
let origin = null;

/**
 * Says what became of something, perhaps with a way back.
 * @param {{label: string, act: () => void}} [way]
 */
export function toast(text, way) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toast"));
  if (!place.contains(document.activeElement)) origin = document.activeElement;
  const close = () => {
    if (place.contains(document.activeElement)) {
      (origin?.isConnected ? origin : document.getElementById("main")).focus();
    }
    show(place);
  };
  show(place, h("span", { dir: "auto" }, text),
    way && button(way.label, () => { close(); way.act(); }),
    button("✕", close, "close", t("close")));
}

export const complain = error =>
  toast(`✕ ${[title(error), error.detail].filter(Boolean).join(": ")}`);

/** The status whenever it is another. */
export const statusStream = {
  path: () => "/v1/status/stream",
  take: (name, status) => name === "status" ? status : undefined,
};
