// A control for a setting, made from what the schema says of it.

import { h } from "./dom.js";
import { t, word } from "./words.js";

/**
 * @typedef {{label: string, subtitle?: string, schema: any, value: any, isFixed?: boolean,
 *   change: (value: any) => void}} Field
 */

let count = 0;

/** @param {Field} field */
export function row(field) {
  const name = `field-${++count}`;
  const hint = field.subtitle && h("small", { id: `${name}-hint` }, field.subtitle);
  if (field.schema.items?.enum) return several(field);
  const made = control(field);
  made.id = name;
  if (hint) made.setAttribute("aria-describedby", `${name}-hint`);
  return h("div", { class: "row" },
    h("div", null, h("label", { for: name }, field.label), hint), made);
}

/** @param {Field} field */
function control(field) {
  const schema = bare(field.schema);
  const isOptional = schema !== field.schema;
  const on = read => event => {
    const text = event.target.value.trim();
    if (!event.target.reportValidity()) return;
    field.change(isOptional && text === "" ? null : read(text));
  };
  const input = (more, read = text =>
    /** @type {any} */ (text)) => h("input", {
    value: field.value ?? "", disabled: field.isFixed, onchange: on(read),
    required: !isOptional, ...more,
  });
  if (schema.type === "boolean") return toggle(field);
  if (schema.enum) return choice(field, schema.enum);
  if (schema.type === "integer") {
    return input({ type: "number", min: schema.minimum, max: schema.maximum }, Number);
  }
  if (schema.type === "array") {
    const isNumber = schema.items?.type === "integer";
    const read = text => text.split(/[\s,،]+/).filter(Boolean)
      .map(part => isNumber ? Number(part) : part);
    return input({ type: "text", value: (field.value ?? []).join(", "), dir: "ltr" }, read);
  }
  if (schema.format === "date") return input({ type: "date" });
  return input(schema.pattern ? { type: "time" } : { type: "text" });
}

/** The schema of what is there, where there may be nothing. */
const bare = schema =>
  schema.anyOf?.find(one => one.type !== "null") ?? schema;

/** @param {Field} field */
const toggle = field => h("input", {
  type: "checkbox", role: "switch", class: "switch", ".checked": field.value === true,
  disabled: field.isFixed,
  onchange: event => field.change(event.target.checked),
});

/**
 * @param {Field} field
 * @param {string[]} words
 */
const choice = (field, words) => h("select", {
  disabled: field.isFixed,
  onchange: event => field.change(event.target.value),
}, words.map(name => h("option", { value: name, selected: name === field.value },
  called(field, name))));

/** What a word is called that there is to choose from: as the catalogs have it, or as the page has.
 * @param {Field} field */
const called = ({ schema }, name) =>
  (schema["x-titles"] ?? bare(schema)["x-titles"])?.[name] ?? word("choice", name);

/** Some of a few words, such as days of the week.
 * @param {Field} field */
function several(field) {
  const chosen = new Set(field.value ?? []);
  const words = field.schema.items.enum;
  return h("fieldset", { class: "row several" },
    h("legend", null, field.label),
    h("div", { class: "chips" }, words.map(name => h("label", null,
      h("input", {
        type: "checkbox", ".checked": chosen.has(name),
        onchange: event => {
          if (event.target.checked) chosen.add(name);
          else chosen.delete(name);
          field.change(words.filter(one => chosen.has(one)));
        },
      }), h("span", null, called(field, name))))));
}

/** A group of rows that can be folded.
 * @param {any[]} rows
 * @param {string} [note] */
export const section = (title, rows, note) => h("section", { class: "card settings" },
  h("h2", null, title), rows, note && h("p", { class: "soft small" }, note));

export const named = key => t(`setting.${key}`);
