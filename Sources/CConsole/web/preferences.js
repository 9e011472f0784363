// The form of all settings, from the schema that the loaded catalogs declare.

import { get, personPath, post } from "./api.js";
import { changeSummary } from "./changes.js";
import { h } from "./dom.js";
import { row, section } from "./fields.js";
import { table } from "./parts.js";
import { isPerson } from "./session.js";
import { quietWindows } from "./quiet-windows.js";
import { button, download, showError, toast } from "./states.js";
import { announcedVacations } from "./vacations.js";
import { t, word } from "./words.js";

export { settingsIndex as makeIndex } from "./settings-index.js";

const groups = ["quietHours", "vacation", "calendar", "caps", "bundling", "email", "sms", "hints"];
/** Members of a section that `members` does not draw. */
const hiddenMembers = new Set(["active", "windows", "announced"]);

/**
 * @param {import("./store.js").Store} store
 * @param {(path: string[], value: any) => void} edit
 */
export function fields(store, all, edit, reload) {
  const properties = all.schema.properties;
  const control = (/** @type {string[]} */ path, schema, label) =>
    row({
      label, schema, value: store.value(path), subtitle: schema.description,
      change: value => edit(path, value),
    });
  const members = (/** @type {string[]} */ path, schema) =>
    Object.entries(schema.properties).filter(([name]) => !hiddenMembers.has(name))
      .map(([name, member]) => control([...path, name], member, member.title));
  return [
    section(t("settings.general"), [
      presets(all, reload), control(["master"], properties.master, properties.master.title),
      Object.entries(properties.channels.properties).map(([name, schema]) =>
        control(["channels", name], schema, word("channel", name))),
      control(["dayStart"], properties.dayStart, properties.dayStart.title),
    ]),
    groups.filter(name => properties[name]).map(name =>
      section(properties[name].title, [members([name], properties[name]),
        name === "quietHours" && quietWindows(store, properties.quietHours.properties, edit),
        name === "vacation" && announcedVacations(store, properties.vacation.properties, edit)])),
    section(t("settings.reminders"), h("div", { class: "groups" },
      Object.entries(properties.reminders.properties).map(
        ([name, schema]) => group(store, name, schema, control)))),
    matrix(store, properties, edit),
    exportAndImport(all.person, reload),
  ];
}

/** Draws one settings group of the reminders: its switch, and its parameters in details.
 * @param {import("./store.js").Store} store
 * @param {(path: string[], schema: any, label: string) => HTMLElement} control */
function group(store, name, schema, control) {
  const { enabled, items: _, ...others } = schema.properties;
  const title = schema.title ?? name;
  const path = ["reminders", name];
  return h("div", { class: "group" },
    enabled
      && control([...path, "enabled"], { ...enabled, description: schema.description }, title),
    Object.keys(others).length > 0 && h("details", { class: "more" },
      h("summary", { "aria-label": `${t("details")}: ${title}` }, t("details")),
      Object.entries(others).map(([key, member]) =>
        control([...path, key], member, member.title ?? key))));
}

/** Draws the matrix: a checkbox for each channel of each category.
 * @param {import("./store.js").Store} store
 * @param {(path: string[], value: any) => void} edit */
function matrix(store, known, edit) {
  const channels = Object.keys(known.channels.properties);
  const cell = (category, title, channel) => h("input", {
    type: "checkbox", ".checked": store.value(["categories", category, channel]) === true,
    "aria-label": `${title}, ${word("channel", channel)}`,
    onchange: event => edit(["categories", category, channel], event.target.checked),
  });
  const heads = [t("column.category"), ...channels.map(name => word("channel", name))]
    .map(text => h("th", { scope: "col", role: "columnheader" }, text));
  return section(t("settings.matrix"), [table(t("settings.matrix"), heads,
    Object.entries(known.categories.properties).map(([name, { title = name, properties }]) =>
      [title, ...channels.map(channel => properties[channel] && cell(name, title, channel))]),
  "matrix wide")]);
}

function presets(all, reload) {
  const path = personPath(all.person, "/preferences/presets");
  const known = all.presets.presets.map(preset => preset.name);
  const names = known.includes(all.presets.current) ? known : [...known, all.presets.current];
  const choice = h("select", { id: "preset" }, names.map(name => h("option", {
    value: name, selected: name === all.presets.current, disabled: !known.includes(name),
  }, word("preset", name))));
  return h("div", { class: "row" },
    h("label", { for: "preset" }, t("settings.preset")),
    h("div", { class: "actions" }, choice, button(t("apply"), () =>
      report(post(`${path}/${encodeURIComponent(choice.value)}/apply`), reload))));
}

function exportAndImport(person, reload) {
  const path = personPath(person, "/preferences");
  const read = async event => {
    const [file] = event.target.files;
    if (!file) return;
    await report(file.text().then(text => post(`${path}/import`, JSON.parse(text))), reload)
      .catch(showError);
  };
  const file = h("input", { type: "file", accept: "application/json", id: "import",
    onchange: read });
  return section(t("settings.copies"), [
    h("div", { class: "row" }, h("span", null, t("export")), button(t("export"), async () =>
      download(JSON.stringify(await get(`${path}/export`), null, 2), "application/json",
        "preferences.json"))),
    h("div", { class: "row" }, h("label", { for: "import" }, t("import")), file),
    h("div", { class: "row" }, h("span", null, t("reset.about")), button(t("reset"), () =>
      report(post(`${path}/reset`), reload))),
    !isPerson() && h("div", { class: "row" }, h("span", null, t("test.about")),
      button(t("test"), () => report(post(personPath(person, "/test"), { channel: "push" }),
        () => toast(t("test.done"))))),
  ]);
}

/** Shows the effects of a write in a toast.
 * @param {Promise<any>} answer */
async function report(answer, onDone) {
  const result = await answer;
  if (result?.changes) toast(changeSummary(result));
  onDone();
}
