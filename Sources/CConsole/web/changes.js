// What a change of preferences does to what is scheduled, before and after it is done.

import { h, said } from "./dom.js";
import { empty } from "./states.js";
import { moment } from "./times.js";
import { t, word } from "./words.js";

const marks = { moved: "◐", cancelled: "○", added: "●" };
const looks = { moved: "moved", cancelled: "dropped", added: "goes" };
const SHOWN = 40;

export function changes(consequences) {
  const all = consequences.changes;
  if (!all.length) return empty(t("changes.none"));
  return [
    h("ul", { class: "changes" }, all.slice(0, SHOWN).map(change)),
    all.length > SHOWN && h("p", { class: "soft" }, t("andMore", { count: all.length - SHOWN })),
  ];
}

function change(one) {
  const kind = /** @type {keyof typeof marks} */ (one.change);
  return h("li", null,
    h("span", { class: looks[kind] }, h("span", { "aria-hidden": "true" }, marks[kind]), " ",
      t(`change.${kind}`)), " ", h("b", null, said(one.title)), " ",
    one.beforeLocal && h("s", null, moment(one.beforeLocal)),
    one.beforeLocal && one.afterLocal && " → ",
    one.afterLocal && moment(one.afterLocal),
    one.reasons.length > 0 && h("small", null, " ",
      one.reasons.map(name => word("gate", name)).join(", ")));
}

/** The same in a few words. */
export function brief(consequences) {
  const counts = Object.keys(marks).map(kind => ({
    kind, count: consequences.changes.filter(one => one.change === kind).length,
  })).filter(one => one.count > 0);
  if (!counts.length) return t("saved");
  return `${t("saved")} ${counts.map(({ kind, count }) =>
    `${t(`change.${kind}`)}: ${count}`).join(", ")}`;
}
