// Shows the effects of a change of preferences, before and after it is saved.

import { hourAxis, strip } from "./day-strip.js";
import { autoText, h, nameList } from "./dom.js";
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
  const changes = consequences.changes;
  if (!changes.length) return empty(t("changes.none"));
  return [
    h("ul", { class: "changes" }, changes.slice(0, MAX_CHANGES).map(changeItem)),
    changes.length > MAX_CHANGES && soft(t("andMore", { count: changes.length - MAX_CHANGES })),
  ];
}

function changeItem(change) {
  const name = cssClasses[change.change];
  return h("li", null,
    h("span", { class: name }, mark(name), " ", t(`change.${change.change}`)), " ",
    h("b", null, autoText(change.title)), " ",
    change.entities && [nameList(change.entities), " "],
    change.beforeLocal && h("s", null, moment(change.beforeLocal)),
    change.beforeLocal && change.afterLocal && " → ",
    change.afterLocal && newTime(change),
    change.reasons.length > 0 && h("small", null, " ", wordList("gate", change.reasons)));
}

/** Formats the new time; a text instead, if a vacation without an end leaves no time. */
const newTime = change => isEndless(change.afterLocal) && change.reasons.includes("vacation")
  ? t("endless.vacation") : moment(change.afterLocal);

/** Draws the days that the change affects, without and with it. Screen readers skip them.
 * @param {{before: any, after: any}} days */
export function dayComparison({ before, after }) {
  const sides = [["now", before], ["after", after]].map(([name, side]) =>
    ({ ...side, name: t(`changes.${name}`), items: dots(timelineItems(side.timeline)) }));
  const itemsOf = ({ items }, day) =>
    items.filter(item => item.at >= day.start && item.at < day.end);
  const fingerprint = (side, day) => JSON.stringify([itemsOf(side, day), side.quiet.filter(span =>
    span.end > day.start && span.start < day.end)]);
  const days = before.days.filter(day => fingerprint(sides[0], day) !== fingerprint(sides[1], day));
  if (!days.length) return null;
  const pair = (name, picture) => h("div", { class: "day pair" }, h("small", null, name), picture);
  return h("div", { "aria-hidden": "true" }, pair("", hourAxis()),
    days.slice(0, MAX_DAYS).map(day => [h("p", { class: "caption" }, dayTitle(day.date)),
      sides.map(side => pair(side.name, strip(day, side.quiet, itemsOf(side, day), null)))]),
    days.length > MAX_DAYS && soft(t("changes.days", { count: days.length - MAX_DAYS })));
}

export function changeSummary(consequences) {
  const counts = Object.keys(cssClasses).map(kind => ({
    kind, count: consequences.changes.filter(change => change.change === kind).length,
  })).filter(change => change.count > 0);
  if (!counts.length) return t("saved");
  return `${t("saved")} ${counts.map(({ kind, count }) =>
    `${t(`change.${kind}`)}: ${count}`).join(", ")}`;
}
