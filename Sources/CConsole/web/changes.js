// Shows the effects of a change of preferences, before and after it is saved.

import { hourAxis, strip } from "./day-strip.js";
import { autoText, h } from "./dom.js";
import { mark, soft } from "./parts.js";
import { empty } from "./states.js";
import { dots, timelineItems } from "./timeline.js";
import { day as dayTitle, isEndless, moment } from "./times.js";
import { t, wordList } from "./words.js";

const cssClasses = {
  moved: "moved", dropped: "dropped", restored: "goes", cancelled: "dropped", added: "goes",
};
const MAX_CHANGES = 40;
const MAX_DAYS = 3;

export function changeList(consequences) {
  const all = consequences.changes;
  if (!all.length) return empty(t("changes.none"));
  return [
    h("ul", { class: "changes" }, all.slice(0, MAX_CHANGES).map(change)),
    all.length > MAX_CHANGES && soft(t("andMore", { count: all.length - MAX_CHANGES })),
  ];
}

function change(one) {
  const name = cssClasses[one.change];
  return h("li", null,
    h("span", { class: name }, mark(name), " ", t(`change.${one.change}`)), " ",
    h("b", null, autoText(one.title)), " ",
    one.beforeLocal && h("s", null, moment(one.beforeLocal)),
    one.beforeLocal && one.afterLocal && " → ",
    one.afterLocal && newTime(one),
    one.reasons.length > 0 && h("small", null, " ", wordList("gate", one.reasons)));
}

/** Formats the new time; during a vacation without an end there is no new time. */
const newTime = one => isEndless(one.afterLocal) && one.reasons.includes("vacation")
  ? t("endless.vacation") : moment(one.afterLocal);

/** Strips of the days that the change affects, before and after it. Hidden from screen readers.
 * @param {{before: any, after: any}} days */
export function dayComparison({ before, after }) {
  const both = [["now", before], ["after", after]].map(([name, one]) =>
    ({ ...one, name: t(`changes.${name}`), items: dots(timelineItems(one.timeline)) }));
  const itemsOf = (one, day) => one.items.filter(item => item.at >= day.start && item.at < day.end);
  const fingerprint = (one, day) => JSON.stringify([itemsOf(one, day), one.quiet.filter(span =>
    span.end > day.start && span.start < day.end)]);
  const days = before.days.filter(day => fingerprint(both[0], day) !== fingerprint(both[1], day));
  if (!days.length) return null;
  const pair = (name, picture) => h("div", { class: "day pair" }, h("small", null, name), picture);
  return h("div", { "aria-hidden": "true" }, pair("", hourAxis()),
    days.slice(0, MAX_DAYS).map(day => [h("p", { class: "caption" }, dayTitle(day.date)),
      both.map(one => pair(one.name, strip(day, one.quiet, itemsOf(one, day), null)))]),
    days.length > MAX_DAYS && soft(t("changes.days", { count: days.length - MAX_DAYS })));
}

export function changeSummary(consequences) {
  const counts = Object.keys(cssClasses).map(kind => ({
    kind, count: consequences.changes.filter(one => one.change === kind).length,
  })).filter(one => one.count > 0);
  if (!counts.length) return t("saved");
  return `${t("saved")} ${counts.map(({ kind, count }) =>
    `${t(`change.${kind}`)}: ${count}`).join(", ")}`;
}
