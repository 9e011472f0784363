// What the person was told: recent, the inbox of the app, and all of it to search in.

import { ask, get, of, query } from "./api.js";
import { button, h, said } from "./dom.js";
import { chip } from "./days.js";
import { inbox } from "./inbox.js";
import { follow } from "./live.js";
import { complain, empty, further, live, toast } from "./states.js";
import { body, isShown } from "./texts.js";
import { moment } from "./times.js";
import { explained } from "./why.js";
import { language, t, word } from "./words.js";

const PAGE = 50;
const channels = ["push", "email", "sms", "inapp"];
const outcomes = ["any", "sending", "delivered", "failed", "dropped", "bundled"];

/** @param {HTMLElement} place */
export async function told(place, person) {
  const recent = h("section", { class: "card", "aria-label": t("recent") });
  const box = h("section", { class: "card", "aria-label": t("inbox") });
  const past = h("section", { class: "card", "aria-label": t("history") });
  place.append(h("div", { class: "two" }, recent, box), past);
  const again = () => [showRecent(recent, person), inbox(box, person)];
  await follow(place, person, again);
  await Promise.all([...again(), history(past, person)]);
}

/** @param {HTMLElement} place */
async function showRecent(place, person) {
  const path = of(person, "/notifications");
  const again = () => live(place, () => get(`${path}?limit=20`), draw);
  const remove = async what => {
    try {
      const { body } = await ask(path + what, { method: "DELETE" });
      toast(t("dismissed", { count: body.dismissed }));
      again();
    } catch (error) {
      complain(error);
    }
  };
  const draw = page => [
    h("div", { class: "head" }, h("h2", null, t("recent")),
      page.notifications.length > 0 && button(t("clearAll"), () => remove(""), "plain")),
    page.notifications.length
      ? h("ol", { class: "list" }, page.notifications.map(one =>
        notification(one, person, button("✕", () =>
          remove(`/${encodeURIComponent(one.id)}`), "plain close"))))
      : empty(t(page.allCaughtUp ? "caughtUp" : "recent.empty")),
  ];
  await again();
}

/** @param {HTMLButtonElement} [dismiss] */
function notification(one, person, dismiss) {
  dismiss?.setAttribute("aria-label", t("dismiss.what", { title: one.title }));
  return h("li", { class: "item" },
    h("div", { class: "time small" }, moment(one.local)),
    h("div", { class: "what" },
      h("b", null, said(one.title)),
      h("small", null, one.category, " · ",
        one.channels.map(name => word("channel", name)).join(", ")),
      body(one.body, person),
      one.digest && isShown(person) && h("ul", null,
        one.digest.map(title => h("li", null, said(title))))),
    state(one.outcome), dismiss,
    h("div", { class: "actions" }, explained(t("why"), one.title,
      of(person, `/explain${query({ notification: one.id })}`))));
}

function state(outcome) {
  const kinds = { delivered: "goes", sending: "moved", bundled: "moved", failed: "failed" };
  const kind = kinds[/** @type {keyof typeof kinds} */ (outcome)] ?? "dropped";
  const label = chip(kind);
  label.lastChild.textContent = word("outcome", outcome);
  return label;
}

/** @param {HTMLElement} place */
async function history(place, person) {
  /** @type {Record<string, string>} */
  const wanted = { part: "all", outcome: "any", limit: String(PAGE) };
  const list = h("div");
  const again = () => live(list, () => get(of(person, `/notifications${query(wanted)}`)), draw);
  const draw = page => {
    if (!page.notifications.length) return empty(t("history.empty"));
    const items = h("ol", { class: "list" },
      page.notifications.map(one => notification(one, person)));
    return [items, page.next && further(items, page.next, async after => {
      const more = await get(of(person, `/notifications${query({ ...wanted, after })}`));
      return [more.notifications.map(one => notification(one, person)), more.next];
    })];
  };
  place.setAttribute("aria-busy", "true");
  const names = await categories(person);
  place.removeAttribute("aria-busy");
  place.append(h("h2", null, t("history")), filters(wanted, again, names), list);
  await again();
}

/** What there is to choose from, as the person's settings call it in the reader's language. */
async function categories(person) {
  const schema = await get(of(person, `/preferences/schema${query({ language: language() })}`))
    .catch(() => null);
  return Object.entries(schema?.properties?.categories?.properties ?? {});
}

/**
 * @param {Record<string, string>} wanted
 * @param {[string, any][]} names of the categories, with what else is known of each
 */
function filters(wanted, again, names) {
  const set = name => event => {
    wanted[name] = event.target.value;
    again();
  };
  const date = name => h("label", null, t(`filter.${name}`), h("input", {
    type: "date",
    onchange: event => {
      const day = event.target.value;
      wanted[name] = day && `${day}T${name === "from" ? "00:00:00" : "23:59:59"}Z`;
      again();
    },
  }));
  return h("form", { class: "filters", role: "search", onsubmit: event =>
    event.preventDefault() },
    h("label", null, t("filter.search"),
      h("input", { type: "search", onchange: set("q"), dir: "auto" })),
    names.length > 0 && h("label", null, t("filter.category"),
      h("select", { onchange: set("category") }, h("option", { value: "" }, t("filter.all")),
        names.map(([name, about]) => h("option", { value: name }, about.title ?? name)))),
    h("label", null, t("filter.channel"), h("select", { onchange: set("channel") },
      h("option", { value: "" }, t("filter.all")),
      channels.map(name => h("option", { value: name }, word("channel", name))))),
    h("label", null, t("filter.outcome"), h("select", { onchange: set("outcome") },
      outcomes.map(name => h("option", { value: name },
        name === "any" ? t("filter.all") : word("outcome", name))))),
    date("from"), date("to"));
}
