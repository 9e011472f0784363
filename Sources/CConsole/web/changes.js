// What a change of preferences does to what is scheduled, before and after it is done.

import { h, said } from "./dom.js";
import { merged } from "./merged.js";
import { mark, soft } from "./parts.js";
import { empty } from "./states.js";
import { strip } from "./strip.js";
import { isEndless, moment, shortDay } from "./times.js";
import { listed, t } from "./words.js";

const looks = {
  moved: "moved", dropped: "dropped", restored: "goes", cancelled: "dropped", added: "goes",
};
const SHOWN = 40;
const STRIPS = 3;

export function changes(consequences) {
  const all = consequences.changes;
  if (!all.length) return empty(t("changes.none"));
  return [
    h("ul", { class: "changes" }, all.slice(0, SHOWN).map(change)),
    all.length > SHOWN && soft(t("andMore", { count: all.length - SHOWN })),
  ];
}

function change(one) {
  const look = looks[one.change];
  return h("li", null,
    h("span", { class: look }, mark(look), " ", t(`change.${one.change}`)), " ",
    h("b", null, said(one.title)), " ",
    one.beforeLocal && h("s", null, moment(one.beforeLocal)),
    one.beforeLocal && one.afterLocal && " → ",
    one.afterLocal && then(one),
    one.reasons.length > 0 && h("small", null, " ", listed("gate", one.reasons)));
}

/** When it would be; what waits for a vacation without an end has no date. */
const then = one => isEndless(one.afterLocal) && one.reasons.includes("vacation")
  ? t("endless.vacation") : moment(one.afterLocal);

/** The days that would be others, each as it is and below that as it would be; for the eye alone.
 * @param {{before: any, after: any}} days */
export function compared({ before, after }) {
  const both = [before, after].map(one => ({ ...one, items: merged(one.timeline) }));
  const of = (one, day) => one.items.filter(item => item.at >= day.start && item.at < day.end);
  const look = (one, day) => JSON.stringify([of(one, day), one.quiet.filter(span =>
    span.end > day.start && span.start < day.end)]);
  const days = before.days.filter(day => look(both[0], day) !== look(both[1], day));
  return h("div", { "aria-hidden": "true" }, days.slice(0, STRIPS).map(day => h("div", null,
    h("small", null, shortDay(day.date)),
    both.map(one => strip(day, one.quiet, of(one, day), null)))));
}

/** The same in a few words. */
export function brief(consequences) {
  const counts = Object.keys(looks).map(kind => ({
    kind, count: consequences.changes.filter(one => one.change === kind).length,
  })).filter(one => one.count > 0);
  if (!counts.length) return t("saved");
  return `${t("saved")} ${counts.map(({ kind, count }) =>
    `${t(`change.${kind}`)}: ${count}`).join(", ")}`;
}
