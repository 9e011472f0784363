// Controls for settings, built from their JSON schema.

import { h } from "./dom.js";
import { word } from "./words.js";

/**
 * @typedef {{label: string, subtitle?: string, schema: any, value: any, isFixed?: boolean,
 *   change: (value: any) => void}} Field
 */

let count = 0;

/** @param {Field} field */
export function row(field) {
  const name = `field-${++count}`;
  const hint = field.subtitle && h("small", { id: `${name}-hint` }, field.subtitle);
  if (field.schema.items?.enum) return multipleChoice(field);
  const input = control(field);
  input.id = name;
  if (hint) input.setAttribute("aria-describedby", `${name}-hint`);
  return h("div", { class: "row" },
    h("div", null, h("label", { for: name }, field.label), hint), input);
}

/** @param {Field} field */
function control(field) {
  const schema = nonNull(field.schema);
  const isOptional = schema !== field.schema;
  const on = read => event => {
    const text = event.target.value.trim();
    if (!event.target.reportValidity()) return;
    field.change(isOptional && text === "" ? null : read(text));
  };
  const input = (attributes, read = text =>
    /** @type {any} */ (text)) => h("input", {
    value: field.value ?? "", disabled: field.isFixed, onchange: on(read),
    required: !isOptional, ...attributes,
  });
  if (schema.type === "boolean") return toggle(field);
  if (schema.enum) return choice(field, schema.enum);
  if (schema.type === "integer") {
    const max = field.schema["x-maximum"] ?? schema.maximum;
    return input({ type: "number", min: schema.minimum, max }, Number);
  }
  if (schema.type === "array") {
    const isNumber = schema.items?.type === "integer";
    const read = text => text.split(/[\s,،]+/).filter(Boolean)
      .map(word => isNumber ? Number(word) : word);
    return input({ type: "text", value: (field.value ?? []).join(", "), dir: "ltr" }, read);
  }
  if (schema.format === "date") return input({ type: "date" });
  return input(schema.pattern ? { type: "time" } : { type: "text" });
}

/** The schema without its null alternative. */
const nonNull = schema =>
  schema.anyOf?.find(choice => choice.type !== "null") ?? schema;

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
  choiceTitle(field, name))));

/** The catalog's title of a choice, or else the console's.
 * @param {Field} field */
const choiceTitle = ({ schema }, name) =>
  (schema["x-titles"] ?? nonNull(schema)["x-titles"])?.[name] ?? word("choice", name);

/** Checkboxes for a list of choices, such as days of the week.
 * @param {Field} field */
function multipleChoice(field) {
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
          field.change(words.filter(word => chosen.has(word)));
        },
      }), h("span", null, choiceTitle(field, name))))));
}

/** A titled group of rows.
 * @param {any[]} rows
 * @param {string} [note] */
export const section = (title, rows, note) => h("section", { class: "card settings" },
  h("h2", null, title), rows, note && h("p", { class: "soft small" }, note));
