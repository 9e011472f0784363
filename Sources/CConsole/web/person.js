// A person's page: next days, notifications, settings, facts.

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

/**
 * @param {HTMLElement} root
 * @param {string[]} rest the id and the section; only the section on the signed-in person's page
 */
export default async function person(root, rest) {
  const own = session()?.recipient ?? null;
  const name = own ?? rest[0] ?? "";
  const part = (own ? rest[0] : rest[1]) || "days";
  const { facts: _, ...mine } = sections;
  const parts = isPerson() ? mine : sections;
  const base = own ? "#/me" : personAddress(name);
  if (!isPerson()) rememberOpened(name);
  const inside = h("div", { class: "page" });
  root.append(
    h("div", { class: "head" }, h("h1", null, own ? t("me") : id(name)),
      part !== "settings" && textsButton(name)),
    h("nav", { class: "parts", "aria-label": t("parts") }, Object.keys(parts).map(key =>
      h("a", { href: `${base}/${key}`, "aria-current": key === part ? "page" : null },
        t(`part.${key}`)))),
    inside);
  const load = await loadModule(inside, parts[part] ?? sections.days);
  await load(inside, name);
}
