// What could not be delivered on any way: to be sent again, or thrown away.

import { ask, get, query } from "./api.js";
import { button, h, id, said } from "./dom.js";
import { complain, empty, live, toast } from "./states.js";
import { utc } from "./times.js";
import { number, t, word } from "./words.js";

const PAGE = 100;

/**
 * @param {HTMLElement} place
 * @param {string[]} [rest] the sink, if it is about one
 */
export default async function deadLetters(place, rest = []) {
  const [sink] = rest;
  /** @type {Set<string>} */
  const chosen = new Set();
  const load = () => get(`/v1/deadletters${query({ limit: PAGE, sink })}`);
  const again = () => live(place, load, draw);
  const draw = page => {
    chosen.clear();
    const letters = page.deadLetters;
    if (!letters.length) return [h("h1", null, t("dead")), h("section", { class: "card" },
      empty(t("dead.empty")))];
    const act = h("div", { class: "actions" });
    const tell = () => act.replaceChildren(...deeds(letters, chosen, again));
    tell();
    return [h("h1", null, t("dead")), h("section", { class: "card" }, act,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("dead") },
        table(letters, chosen, tell)),
      page.next && h("p", { class: "soft" }, t("dead.more", { count: number(PAGE) })))];
  };
  await again();
}

/**
 * @param {any[]} letters
 * @param {Set<string>} chosen
 */
function table(letters, chosen, tell) {
  const columns = ["person", "what", "channel", "sink", "since", "reason"];
  const choose = one => h("input", {
    type: "checkbox", "aria-label": t("choose", { what: `${one.recipient} ${one.reminder}` }),
    onchange: event => {
      if (event.target.checked) chosen.add(one.id);
      else chosen.delete(one.id);
      tell();
    },
  });
  return h("table", null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("column.choose")),
      columns.map(name => h("th", { scope: "col" }, t(`column.${name}`))))),
    h("tbody", null, letters.map(one => h("tr", null, h("td", null, choose(one)),
      h("td", null, h("a", { href: `#/p/${encodeURIComponent(one.recipient)}/told` },
        id(one.recipient))),
      h("td", null, one.reminder, " ", h("small", null, one.category)),
      h("td", null, word("channel", one.channel)), h("td", null, id(one.sink)),
      h("td", null, utc(one.at ?? one.since ?? one.planned)), h("td", null, said(one.reason))))));
}

/**
 * @param {any[]} letters
 * @param {Set<string>} chosen
 */
function deeds(letters, chosen, again) {
  const all = chosen.size ? letters.filter(one => chosen.has(one.id)) : [];
  const run = async (what, method,
    rest) => {
    const count = number(all.length);
    if (!confirm(t(`${what}.sure`, { count }))) return;
    try {
      for (const one of all) {
        await ask(`/v1/deadletters/${encodeURIComponent(one.id)}${rest}`, { method });
      }
      toast(t(`${what}.done`, { count }));
    } catch (error) {
      complain(error);
    }
    again();
  };
  const buttons = [
    button(t("resend", { count: number(all.length) }), () => run("resend", "POST", "/resend"),
      "main"),
    button(t("throwAway", { count: number(all.length) }), () => run("throwAway", "DELETE", "")),
  ];
  for (const one of buttons) one.disabled = !all.length;
  return buttons;
}
