// One person: their coming days, what they were told, their settings.

import { h, id } from "./dom.js";
import { address } from "./parts.js";
import { remember } from "./people.js";
import { isPerson, session } from "./session.js";
import { loaded } from "./states.js";
import { texts } from "./texts.js";
import { speakAlso, t } from "./words.js";

/** Each part of the page, loaded when it is opened. */
const all = {
  days: async () => (await import("./days.js")).days,
  told: async () => (await import("./told.js")).told,
  settings: async () => (await import("./settings.js")).settings,
  facts: async () => (await Promise.all([import("./facts.js"), speakAlso("desk")]))[0].facts,
};

/**
 * @param {HTMLElement} place
 * @param {string[]} rest the id, unless it is one's own, and the part
 */
export default async function person(place, rest) {
  const own = session()?.recipient ?? null;
  const name = own ?? rest[0] ?? "";
  const part = (own ? rest[0] : rest[1]) || "days";
  const { facts: _, ...mine } = all;
  const parts = isPerson() ? mine : all;
  const base = own ? "#/me" : address(name);
  if (!isPerson()) remember(name);
  const inside = h("div", { class: "page" });
  place.append(
    h("div", { class: "head" }, h("h1", null, own ? t("me") : id(name)),
      part !== "settings" && texts(name)),
    h("nav", { class: "parts", "aria-label": t("parts") }, Object.keys(parts).map(key =>
      h("a", { href: `${base}/${key}`, "aria-current": key === part ? "page" : null },
        t(`part.${key}`)))),
    inside);
  const load = await loaded(inside, parts[part] ?? all.days);
  await load(inside, name);
}
