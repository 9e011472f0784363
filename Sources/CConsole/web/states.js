// What every page goes through: loading, there, wrong, out of reach.

import { Problem } from "./api.js";
import { button, h, said, show } from "./dom.js";
import { t } from "./words.js";

const SKELETON_AFTER = 150;
const RETRY_FIRST = 2_000;
const RETRY_LAST = 30_000;

/** Counts pages, so that what a page before this one still waits for is not shown. */
let turn = 0;

export const nextTurn = () => ++turn;

/**
 * Loads something and draws it, again and again if `every` says so. While the service is out of
 * reach what was drawn stays, greyed, and it is tried again.
 * @template T
 * @param {HTMLElement} place
 * @param {() => Promise<T>} load
 * @param {(value: T) => import("./dom.js").Child} draw
 * @param {number} [every] milliseconds
 * @returns {Promise<void>} when it has been tried once
 */
export async function live(place, load, draw, every) {
  const mine = turn;
  // What comes by itself waits for who has opened something meanwhile, and would lose it.
  const isNews = place.closest("[data-news]") !== null;
  let wait = RETRY_FIRST;
  let drawn = "";
  const isOver = () => mine !== turn || !place.isConnected;
  const again = after => setTimeout(() => {
    if (isOver()) return;
    if (!document.hidden) return void attempt();
    document.addEventListener("visibilitychange", () => isOver() || attempt(), { once: true });
  }, after);
  const skeleton = setTimeout(() => !isOver() && !drawn && show(place, waiting()), SKELETON_AFTER);
  place.setAttribute("aria-busy", "true");

  async function attempt() {
    try {
      const value = await load();
      while (isNews && !isOver() && place.querySelector("details[open]")) await rest();
      if (isOver()) return;
      wait = RETRY_FIRST;
      drawn = new Date().toLocaleTimeString();
      place.classList.remove("stale");
      show(place, draw(value));
      if (every) again(every);
    } catch (error) {
      if (isOver()) return;
      if (error instanceof Problem && error.isUnreachable) {
        if (drawn) grey(place, drawn);
        else show(place, trouble(error, attempt));
        again(wait);
        wait = Math.min(wait * 2, RETRY_LAST);
      } else {
        show(place, trouble(error, attempt));
      }
    } finally {
      clearTimeout(skeleton);
      place.removeAttribute("aria-busy");
    }
  }
  await attempt();
}

const rest = () => new Promise(then => { setTimeout(then, 300); });

const waiting = () => h("div", { class: "skeleton", "aria-hidden": "true" },
  h("span"), h("span"), h("span"));

/** @param {HTMLElement} place */
function grey(place, since) {
  if (place.classList.contains("stale")) return;
  place.classList.add("stale");
  place.prepend(h("p", { class: "notice", role: "status" }, t("offline", { since })));
}

/**
 * What is wrong, in the service's words, and the way on.
 * @param {() => void} [retry]
 */
export function trouble(error, retry) {
  const isUnreachable = error instanceof Problem && error.isUnreachable;
  const title = isUnreachable ? t("unreachable") : error.message;
  return h("div", { class: "notice bad", role: "alert" },
    h("p", null, h("b", null, "✕ ", said(title))),
    error.detail && h("p", null, said(error.detail)),
    retry && button(t("retry"), retry));
}

export const empty = text => h("p", { class: "empty" }, text);

/**
 * Says what became of something, perhaps with a way back.
 * @param {{label: string, act: () => void}} [way]
 */
export function toast(text, way) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toast"));
  const close = () => show(place);
  show(place, h("span", { dir: "auto" }, text),
    way && button(way.label, () => { close(); way.act(); }),
    button("✕", close, "close"));
  place.lastElementChild?.setAttribute("aria-label", t("close"));
}

export const complain = error =>
  toast(`✕ ${error instanceof Problem && error.isUnreachable
    ? t("unreachable") : [error.message, error.detail].filter(Boolean).join(": ")}`);
