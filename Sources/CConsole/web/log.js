// What the service does, as it does it: the latest entries of its journal.

import { get, query } from "./api.js";
import { h, said } from "./dom.js";
import { filters, linked, mark, select, soft } from "./parts.js";
import { empty, live } from "./states.js";
import { utc } from "./times.js";
import { t, word } from "./words.js";

const EVERY = 2_000;
const SHOWN = 300;
const levels = ["info", "notice", "warning", "error", "critical"];
const looks = { warning: "moved", error: "failed", critical: "failed" };

/** @param {HTMLElement} place */
export default async function log(place) {
  const wanted = {};
  const list = h("section", { class: "card", "aria-label": t("log") });
  const again = () => journal(list, wanted);
  const set = name => event => {
    wanted[name] = event.target.value.trim();
    again();
  };
  const text = name => h("label", null, t(`column.${name}`),
    h("input", { type: "search", onchange: set(name), dir: "auto" }));
  place.append(h("h1", null, t("log")), soft(t("log.about")), filters("card",
    h("label", null, t("log.level"),
      select({ onchange: set("level") }, levels, name => word("level", name))),
    ["recipient", "reminder", "sink"].map(text)), list);
  await again();
}

/**
 * The entries that are wanted, the latest first, and those that come.
 * @param {HTMLElement} place
 * @param {Record<string, any>} wanted
 * @param {any} [head]
 */
export function journal(place, wanted, head) {
  let entries = [];
  let after = "";
  const list = h("ol", { class: "list log" });
  // Nothing is drawn anew, so that who reads or selects is left in peace.
  const add = fresh => {
    entries = [...fresh, ...entries].slice(0, SHOWN);
    list.prepend(...fresh.map(entry));
    while (list.children.length > SHOWN) list.lastElementChild.remove();
    return entries;
  };
  const load = async () => {
    const page = await get(`/v1/log${query({ ...wanted, after, limit: SHOWN })}`);
    after = page.latest;
    return add(page.entries.reverse());
  };
  const take = (name, one) => {
    if (name !== "entry") return undefined;
    const isFirst = !entries.length;
    after = String(one.number);
    add([one]);
    return isFirst ? entries : undefined;
  };
  return live(place, load, found => [head, found.length ? list : empty(t("log.empty"))], EVERY, {
    path: () => `/v1/log/stream${query({ ...wanted, after })}`, take,
  });
}

function entry(one) {
  const look = looks[one.level];
  return h("li", { class: "entry" },
    h("time", { class: "small soft" }, utc(one.at)),
    h("span", { class: look ?? "soft" }, look && [mark(look), " "], word("level", one.level)),
    h("span", { class: "what" }, said(one.message), " ",
      one.recipient && linked(one.recipient)));
}
