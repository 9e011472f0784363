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
  const known = h("div", { class: "page" });
  const past = card();
  root.append(known, past);
  const load = async (after = "") => {
    const page = await get(personPath(person, `/events${query({ limit: PAGE_SIZE, after })}`));
    if (!after) checkTexts(page.events.map(one => one.data), person);
    return [page.events.map(one => event(one, person)), page.next];
  };
  await Promise.all([
    liveView(known, () => get(personPath(person, "")), profile),
    liveView(past, load, ([events, next]) => {
      const list = h("ol", { class: "list" }, events);
      return [h("h2", null, t("reported")), events.length ? list : empty(t("reported.empty")),
        next && moreButton(list, next, load)];
    }),
  ]);
}

const profile = all => [
  card(t("part.facts"), factList([
    [t("persona.zone"), all.zone + (all.zoneIsDefault ? ` (${t("choice.default")})` : "")],
    [t("zone.fault"), all.zoneFault],
    [t("fact.clock"), moment(all.local)],
    [t("gate.quiet_hours"), all.quietUntil && relative(all.quietUntil)],
    [t("fact.known"), relative(all.created)],
    // The zone is shown above.
    ...Object.entries({ ...all.profile, timezone: null })
      .map(([name, value]) => [word("profile", name), value]),
    ...Object.entries(all.permissions).map(([channel, status]) =>
      [`${word("channel", channel)}: ${t("permission")}`, word("permission", status)]),
    ...all.suppressed.map(one => [`${word("channel", one.channel)}: ${t("suppressed")}`,
      [word("outcome", one.reason), " ", relative(one.since)]]),
  ]), button(t("export.all"), () => saveByTicket(personPath(all.recipient, "/export-tickets")))),
  card(t("devices"), all.devices.length
    ? h("ul", { class: "plain" }, all.devices.map(one => h("li", { class: "row" },
      h("span", null, id(one.deviceId), " ", autoText(one.platform)),
      h("small", null, relative(one.since)))))
    : empty(t("devices.empty"))),
];

const event = (one, person) => h("li", { class: "item" },
  h("div", { class: "time small" }, relative(one.time)),
  h("div", { class: "what" }, h("b", null, id(one.type)),
    h("small", null, id(one.source), " · ", id(one.id)),
    one.data && mayShowTexts(person) && h("code", { class: "data", dir: "ltr" },
      JSON.stringify(one.data, null, 1))));
