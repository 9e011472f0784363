// A person's facts: profile, permissions, devices and reported events.

import { get, personPath, query } from "./api.js";
import { autoText, h, id } from "./dom.js";
import { card, factList, relative } from "./parts.js";
import { button, empty, liveView, moreButton, saveByTicket } from "./states.js";
import { checkTexts, mayShowTexts } from "./text-views.js";
import { moment } from "./times.js";
import { t, word } from "./words.js";

const PAGE_SIZE = 50;

/** @param {HTMLElement} root */
export async function facts(root, person) {
  const profileRoot = h("div", { class: "page" });
  const eventList = card();
  root.append(profileRoot, eventList);
  const load = async (after = "") => {
    const page = await get(personPath(person, `/events${query({ limit: PAGE_SIZE, after })}`));
    if (!after) checkTexts(page.events.map(event => event.data), person);
    return [page.events.map(event => eventItem(event, person)), page.next];
  };
  await Promise.all([
    liveView(profileRoot, () => get(personPath(person, "")), profile),
    liveView(eventList, load, ([events, next]) => {
      const list = h("ol", { class: "list" }, events);
      return [h("h2", null, t("reported")), events.length ? list : empty(t("reported.empty")),
        next && moreButton(list, next, load)];
    }),
  ]);
}

const profile = recipient => [
  card(t("part.facts"), factList([
    [t("persona.zone"),
      recipient.zone + (recipient.zoneIsDefault ? ` (${t("choice.default")})` : "")],
    [t("zone.fault"), recipient.zoneFault],
    [t("fact.clock"), moment(recipient.local)],
    [t("gate.quiet_hours"), recipient.quietUntil && relative(recipient.quietUntil)],
    [t("fact.known"), relative(recipient.created)],
    // The zone is shown above.
    ...Object.entries({ ...recipient.profile, timezone: null })
      .map(([name, value]) => [word("profile", name), value]),
    ...Object.entries(recipient.permissions).map(([channel, status]) =>
      [`${word("channel", channel)}: ${t("permission")}`, word("permission", status)]),
    ...recipient.suppressed.map(({ channel, reason, since }) =>
      [`${word("channel", channel)}: ${t("suppressed")}`,
        [word("outcome", reason), " ", relative(since)]]),
  ]), button(t("export.all"),
    () => saveByTicket(personPath(recipient.recipient, "/export-tickets")))),
  card(t("devices"), recipient.devices.length
    ? h("ul", { class: "plain" }, recipient.devices.map(device => h("li", { class: "row" },
      h("span", null, id(device.deviceId), " ", autoText(device.platform)),
      h("small", null, relative(device.since)))))
    : empty(t("devices.empty"))),
];

const eventItem = (event, person) => h("li", { class: "item" },
  h("div", { class: "time small" }, relative(event.time)),
  h("div", { class: "what" }, h("b", null, id(event.type)),
    h("small", null, id(event.source), " · ", id(event.id)),
    event.data && mayShowTexts(person) && h("code", { class: "data", dir: "ltr" },
      JSON.stringify(event.data, null, 1))));
