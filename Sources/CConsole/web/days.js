// A person's next days: strips, a list, and the reason for each time.

import { get, personPath, post, query, request } from "./api.js";
import { categoryTitles } from "./category-titles.js";
import { cancelledList, list, strips } from "./day-list.js";
import { autoText, h, show } from "./dom.js";
import { card, select, soft } from "./parts.js";
import { followRecipient } from "./recipient-stream.js";
import { isPerson } from "./session.js";
import { button, empty, liveView, showError, toast } from "./states.js";
import { checkTexts, messageBody } from "./text-views.js";
import { timelineItems } from "./timeline.js";
import { showWhy } from "./why.js";
import { t } from "./words.js";

const DAYS = 7;
/** The keys of texts, for other readers and for the person. Each pair has a key for a zone that the
 * person has set, and a key for the default zone. */
const zones = [["zone.own", "zone.default"], ["zone.mine", "zone.mine.default"]];

export function zoneSentence({ zone, zoneIsDefault, zoneFault }, isOwn) {
  if (zoneFault) return t(zoneIsDefault ? "zone.lost.default" : "zone.lost", { zone });
  return t(zones[Number(isOwn)][Number(zoneIsDefault)], { zone });
}

/** A notice that the time zone database has no valid rules for the zone. Operators also see what to
 * do. */
const zoneNotice = ahead => h("div", { class: "notice" },
  h("p", null, h("b", null, "◐ ", zoneSentence(ahead, isPerson()))),
  !isPerson() && h("p", null, autoText(ahead.zoneFault)));

/** @param {HTMLElement} root */
export async function days(root, person) {
  const load = async () => {
    const [ahead, scheduled, { scheduled: cancelled }, names] = await Promise.all([
      get(personPath(person, `/ahead?days=${DAYS}`)),
      get(personPath(person, "/scheduled?limit=1000")),
      get(personPath(person, "/scheduled?part=cancelled&limit=100")),
      categoryTitles(person),
    ]);
    checkTexts(ahead.timeline.map(entry => entry.body), person);
    const ids = new Set(scheduled.scheduled.map(entry => entry.id));
    // The timeline also contains the day after the last shown day.
    const { end } = ahead.days.slice(0, DAYS).pop();
    const withTitle = entry => ({ ...entry, category: names[entry.category] ?? entry.category });
    const shown = ahead.timeline.filter(entry => entry.at < end).map(withTitle);
    return { ...ahead, items: timelineItems(shown, ids), cancelled: cancelled.map(withTitle) };
  };
  const reload = () => liveView(root, load, draw);
  const draw = ahead => [
    ahead.zoneFault ? zoneNotice(ahead) : soft(zoneSentence(ahead, isPerson())),
    ahead.items.length
      ? [strips(ahead), list(ahead.items, (item, content) => fill(item, content, person, reload))]
      : card(null, empty(t("days.empty"))),
    cancelledList(ahead.cancelled, entry => resumeButton(entry, person, reload)),
  ];
  await followRecipient(root, person, reload);
  await reload();
}

/** The address of an occurrence. */
const occurrencePath = (item, person) =>
  personPath(person, `/scheduled/${encodeURIComponent(item.id)}`);

/** Fills the details of an item: its text, its actions, and the reasons.
 * @param {HTMLElement} content */
function fill(item, content, person, reload) {
  const reasons = h("div");
  show(content, messageBody(item.body, person),
    item.isKnown && item.state !== "dropped" && actions(item, person, reload), reasons);
  return showWhy(reasons, personPath(person,
    `/explain${query({ scheduled: item.id, channel: item.channels[0] })}`));
}

function actions(item, person, reload) {
  const path = occurrencePath(item, person);
  const act = (label, done, run, undo) => button(t(label), async event => {
    await run();
    // A redraw closes the details, so the focus moves to their row.
    event.target.closest("details").firstChild.focus();
    toast(t(done), undo && { label: t("undo"), act: undo });
    reload();
  }, "plain");
  // Choosing a span snoozes nothing yet: by keyboard, a user passes other choices on the way.
  const span = select({ "aria-label": t("snooze.what", { title: item.title }) },
    ["30m", "1h", "3h", "1d"], value => t(`snooze.${value}`));
  const snooze = act("snooze", "snoozed", () => post(`${path}/snooze`, { for: span.value }));
  const cancel = (label, parameters) => act(label, "cancelled",
    () => request(path + query(parameters), { method: "DELETE" }),
    () => resume({ ...item, ...parameters }, person, reload).catch(showError));
  return h("div", { class: "actions" }, span, snooze, cancel("cancel", {}),
    !item.members && cancel("cancel.series", { series: true }));
}

async function resume(entry, person, reload) {
  const parameters = query({ series: entry.series && "true" });
  await post(`${occurrencePath(entry, person)}/resume${parameters}`);
  toast(t("resumed"));
  reload();
}

const resumeButton = (entry, person, reload) => button(t("resume"),
  () => resume(entry, person, reload), "plain", `${t("resume")}: ${entry.title}`);
