// A person's page, with its sections.

import { h, id, loadStyle } from "./dom.js";
import { personAddress } from "./parts.js";
import { rememberOpened } from "./people.js";
import { isPerson, session } from "./session.js";
import { loadModule } from "./states.js";
import { textsButton } from "./text-views.js";
import { loadTexts, t } from "./words.js";

const sections = {
  days: async () => (await import("./days.js")).days,
  notifications: async () => (await import("./notifications.js")).notifications,
  settings: async () => (await Promise.all([import("./settings.js"), loadTexts("settings"),
    loadStyle("settings.css")]))[0].settings,
  facts: async () => (await Promise.all([import("./facts.js"), loadTexts("operator")]))[0].facts,
};

/** @param {HTMLElement} root
 * @param {string[]} rest the id and the section; only the section on the signed-in person's page */
export default async function person(root, rest) {
  const ownId = session()?.recipient ?? null;
  const name = ownId ?? rest[0] ?? "";
  const section = (ownId ? rest[0] : rest[1]) || "days";
  const { facts: _, ...others } = sections;
  const shown = isPerson() ? others : sections;
  const base = ownId ? "#/me" : personAddress(name);
  if (!isPerson()) rememberOpened(name);
  const content = h("div", { class: "page" });
  root.append(
    h("div", { class: "head" }, h("h1", null, ownId ? t("me") : id(name)),
      section !== "settings" && textsButton(name)),
    h("nav", { class: "parts", "aria-label": t("parts") }, Object.keys(shown).map(key =>
      h("a", { href: `${base}/${key}`, "aria-current": key === section ? "page" : null },
        t(`part.${key}`)))),
    content);
  const load = await loadModule(content, shown[section] ?? sections.days);
  await load(content, name);
}
