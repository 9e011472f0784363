// A person's coming days: strips, a list, and the reasons.

import { get, personPath, post, query, request } from "./api.js";
import { categoryTitles } from "./category-titles.js";
import { strip } from "./day-strip.js";
import { autoText, h } from "./dom.js";
import { card, chip, select, soft } from "./parts.js";
import { followRecipient } from "./recipient-stream.js";
import { isPerson } from "./session.js";
import { button, empty, liveView, toast } from "./states.js";
import { checkTexts, messageBody } from "./text-views.js";
import { timelineItems } from "./timeline.js";
import { clock, day, dayName, moment, shortDay } from "./times.js";
import { whyDetails } from "./why.js";
import { t, wordList } from "./words.js";

const DAYS = 7;
/** Text keys for [others, the person], each for [the person's zone, the default zone]. */
const zones = [["zone.own", "zone.default"], ["zone.mine", "zone.mine.default"]];

export function zoneSentence({ zone, zoneIsDefault, zoneFault }, isOwn) {
  if (zoneFault) return t(zoneIsDefault ? "zone.lost.default" : "zone.lost", { zone });
  return t(zones[Number(isOwn)][Number(zoneIsDefault)], { zone });
}

/** A notice that the tz database lacks valid rules of the zone; operators also see the remedy. */
const lost = ahead => h("div", { class: "notice" },
  h("p", null, h("b", null, "◐ ", zoneSentence(ahead, isPerson()))),
  !isPerson() && h("p", null, autoText(ahead.zoneFault)));

/** @param {HTMLElement} root */
export async function days(root, person) {
  const load = async () => {
    const [ahead, scheduled, names] = await Promise.all([
      get(personPath(person, `/ahead?days=${DAYS}`)),
      get(personPath(person, "/scheduled?limit=1000")),
      categoryTitles(person),
    ]);
    checkTexts(ahead.timeline.map(one => one.body), person);
    const known = new Set(scheduled.scheduled.map(entry => entry.id));
    // The timeline goes on into the day after the last shown one.
    const { end } = ahead.days.slice(0, DAYS).pop();
    const shown = ahead.timeline.filter(one => one.at < end)
      .map(one => ({ ...one, category: names[one.category] ?? one.category }));
    return { ...ahead, items: timelineItems(shown, known) };
  };
  const reload = () => liveView(root, load, draw);
  const draw = ahead => [
    ahead.zoneFault ? lost(ahead) : soft(zoneSentence(ahead, isPerson())),
    ahead.items.length
      ? [strips(ahead), list(ahead.items, item => messageBody(item.body, person),
        item => itemActions(item, person, reload))]
      : card(null, empty(t("days.empty"))),
  ];
  await followRecipient(root, person, reload);
  await reload();
}

/**
 * A strip for each of the first days.
 * @param {number} [count]
 */
export function strips(ahead, count = DAYS) {
  const today = ahead.days[0].date;
  const rows = ahead.days.slice(0, count).map(one => {
    const items = ahead.items.filter(item =>
      item.at >= one.start && item.at < one.end);
    return h("div", { class: "day" },
      h("span", null, dayName(one.date, today), " ", h("small", null, shortDay(one.date))),
      strip(one, ahead.quiet, items, one.date === today ? ahead.now : null));
  });
  return h("section", { class: "card", "aria-hidden": "true" },
    h("h2", null, t("days.title")), rows,
    h("p", { class: "legend" }, ["goes", "moved", "dropped"].map(state => chip(state)),
      h("span", { class: "chip night" }, t("quiet"))));
}

/** @typedef {(item: any) => import("./dom.js").Child} Part */

/**
 * The items as a list, grouped by day.
 * @param {any[]} items
 * @param {Part} inside further content of an item
 * @param {Part} [acts] the actions of an item
 */
export function list(items, inside, acts) {
  const dates = [...new Set(items.map(item => item.local.slice(0, 10)))];
  return card(t("days.list"), dates.map(date => [
    h("h3", null, day(/** @type {string} */ (date))),
    h("ol", { class: "list" }, items
      .filter(item => item.local.startsWith(date))
      .map(item => row(item, inside, acts))),
  ]));
}

/**
 * @param {Part} inside
 * @param {Part} [acts]
 */
function row(item, inside, acts) {
  const isOtherDay = item.plannedLocal.slice(0, 10) !== item.local.slice(0, 10);
  return h("li", { class: "item" },
    h("div", { class: "time" }, clock(item.local), item.state === "moved" && h("s", null,
      isOtherDay ? moment(item.plannedLocal) : clock(item.plannedLocal))),
    h("div", { class: "what" },
      h("b", null, autoText(item.title)),
      h("small", null, autoText(item.category), " · ",
        wordList("channel", item.channels)),
      item.reasons.length > 0 && h("small", null, wordList("gate", item.reasons)),
      inside(item)),
    chip(item.state), acts?.(item));
}

function itemActions(item, person, reload) {
  const path = personPath(person, `/scheduled/${encodeURIComponent(item.id)}`);
  const act = (label, done, run) => button(t(label), async () => {
    await run();
    toast(t(done));
    reload();
  }, "plain");
  // A button applies the choice: on the way to one, the keyboard selects others.
  const span = select({ "aria-label": t("snooze.what", { title: item.title }) },
    ["30m", "1h", "3h", "1d"], value => t(`snooze.${value}`));
  const snooze = act("snooze", "snoozed", () => post(`${path}/snooze`, { for: span.value }));
  const cancel = (label, parameters) => act(label, "cancelled",
    () => request(path + query(parameters), { method: "DELETE" }));
  return h("div", { class: "actions" },
    whyDetails(t("why"), item.title, personPath(person,
      `/explain${query({ scheduled: item.id, channel: item.channels[0] })}`)),
    item.isKnown && item.state !== "dropped" && [
      span, snooze, cancel("cancel", {}),
      !item.members && cancel("cancel.series", { series: true }),
    ]);
}
