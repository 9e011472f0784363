// The index of a form: a search in its settings, and a link to each section.

import { focusFirst, h, show } from "./dom.js";
import { button } from "./states.js";
import { t } from "./words.js";

/** The parts of a section that a search shows or hides. */
const ROWS = ".group, .row:not(.group .row), tbody tr";

/**
 * @param {HTMLElement} form
 * @returns {{element: HTMLElement, update: () => void}} call `update` after each redraw of the form
 */
export function settingsIndex(form) {
  const field = h("input", { type: "search", "aria-label": t("settings.search"), dir: "auto",
    placeholder: t("settings.search"), oninput: () => filter() });
  const none = h("p", { class: "empty", role: "status" });
  const links = h("div", { class: "parts" });
  const filter = () => {
    const text = field.value.trim().toLowerCase();
    const sections = [...form.querySelectorAll("section")];
    for (const section of sections) filterSection(section, text);
    none.textContent = sections.some(section => !section.hidden) ? "" : t("settings.none");
  };
  const update = () => {
    show(links, [...form.querySelectorAll("section")].map(section => {
      const head = section.querySelector("h2");
      return button(head?.textContent, () => {
        if (section.hidden) {
          field.value = "";
          filter();
        }
        focusFirst(head);
        section.scrollIntoView();
      });
    }));
    filter();
  };
  return { update, element: h("nav", { class: "index", "aria-label": t("settings.index") },
    field, links, none) };
}

/** Shows the rows that contain the text; if the title of the section contains it, shows all rows.
 * @param {HTMLElement} section
 * @param {string} text in lower case */
function filterSection(section, text) {
  /** @type {any[]} */
  const rows = [...section.querySelectorAll(ROWS)];
  const isTitled = contains(section.querySelector("h2"), text);
  for (const row of rows) row.hidden = !isTitled && !contains(row, text);
  section.hidden = !isTitled && rows.every(row => row.hidden);
}

const contains = (element, text) => element.textContent.toLowerCase().includes(text);
