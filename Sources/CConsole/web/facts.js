// What is known of a person: who they are, what their devices are, and what was reported.

import { get, of, query } from "./api.js";
import { button, h, id, said } from "./dom.js";
import { empty, further, live, save } from "./states.js";
import { isShown, note } from "./texts.js";
import { moment, utc } from "./times.js";
import { t, word } from "./words.js";

const PAGE = 50;

/** @param {HTMLElement} place */
export async function facts(place, person) {
  const known = h("div", { class: "page" });
  const past = h("section", { class: "card" });
  place.append(known, past);
  const path = after => of(person, `/events${query({ limit: PAGE, after })}`);
  await Promise.all([
    live(known, () => get(of(person, "")), profile),
    live(past, () => get(path("")), page => {
      note(page.events.map(one => one.data), person);
      const list = h("ol", { class: "list" }, page.events.map(one => event(one, person)));
      return [h("h2", null, t("reported")),
        page.events.length ? list : empty(t("reported.empty")),
        page.next && further(list, page.next, async after => {
          const more = await get(path(after));
          return [more.events.map(one => event(one, person)), more.next];
        })];
    }),
  ]);
}

function profile(all) {
  const zone = all.zone + (all.zoneIsDefault ? ` (${t("choice.default")})` : "");
  const values = {
    "persona.zone": zone, "fact.clock": moment(all.local),
    "fact.quiet": all.quietUntil && t("until", { at: utc(all.quietUntil) }),
    "fact.known": all.created && utc(all.created),
  };
  const permissions = Object.entries(all.permissions).map(([channel, status]) =>
    [`${word("channel", channel)}: ${t("permission")}`, word("permission", status)]);
  const entries = [...Object.entries(values).map(([key, value]) => [t(key), value]),
    // The zone is there already.
    ...Object.entries({ ...all.profile, timezone: null })
      .map(([name, value]) => [word("profile", name), value]),
    ...permissions].filter(([, value]) => value);
  return [
    h("section", { class: "card" }, h("h2", null, t("part.facts")), h("dl", { class: "facts" },
      entries.map(([name, value]) => h("div", null, h("dt", null, name),
        h("dd", null, said(value))))), button(t("export.all"), () =>
      save(of(all.recipient, "/export-tickets")))),
    h("section", { class: "card" }, h("h2", null, t("devices")), all.devices.length
      ? h("ul", { class: "plain" }, all.devices.map(one => h("li", { class: "row" },
        h("span", null, id(one.deviceId), " ", said(one.platform)),
        h("small", null, t("since.plain", { at: utc(one.since) })))))
      : empty(t("devices.empty"))),
  ];
}

const event = (one, person) => h("li", { class: "item" },
  h("div", { class: "time small" }, utc(one.time)),
  h("div", { class: "what" }, h("b", null, id(one.type)),
    h("small", null, id(one.source), " · ", id(one.id)),
    one.data && isShown(person) && h("code", { class: "data", dir: "ltr" },
      JSON.stringify(one.data, null, 1))));
