// Draws a settings page from the schema of a person's preferences (chimed-api(7)). A dry run shows
// the effects of each change. A button below the effects saves all changes.
"use strict";

const { url, recipient, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
history.replaceState(null, "", location.pathname); // removes the token from the history
const path = `${url}/v1/recipients/${encodeURIComponent(recipient)}/preferences`;
const form = document.querySelector("form");
const report = document.querySelector("section");
let draft = {};
let version = "";
let trials = 0;

/** Requests a path below the preferences. The message of an error is the service's explanation. */
async function ask(rest = "", options = {}) {
  const headers = { Authorization: `Bearer ${token}`, ...options.headers };
  const answer = await fetch(path + rest, { ...options, headers });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail);
  return { body, tag: answer.headers.get("ETag") };
}

const element = (name, properties = {}, ...children) => {
  const result = Object.assign(document.createElement(name), properties);
  result.append(...children);
  return result;
};

/** Returns the schema of a setting, without the alternative null. */
const withoutNull = schema => schema.anyOf?.find(choice => choice.type !== "null") ?? schema;

// Drawing

async function load() {
  const [schema, preferences] = await Promise.all([ask("/schema"), ask()]);
  [draft, version, trials] = [{}, preferences.tag, trials + 1];
  form.replaceChildren(...schema.body["x-sections"].map(({ title, members }) =>
    element("fieldset", {}, element("legend", { textContent: title }),
      ...members.flatMap(name => {
        const member = schema.body.properties[name];
        const value = preferences.body[name];
        return member.properties
          ? memberRows(member, value, [name]) : [row(member, value, [name])];
      }))));
  report.replaceChildren();
}

/** Creates the rows of an object's settings, in the order of the schema. Settings of single
 * entities belong on the pages of these. */
const memberRows = (schema, value, keys) => Object.entries(schema.properties)
  .filter(([, member]) => member["x-kind"] !== "entities")
  .sort(([, a], [, b]) => a["x-order"] - b["x-order"])
  .map(([name, member]) => member.properties
    ? element("fieldset", {}, element("legend", { textContent: member.title }),
      ...memberRows(member, value?.[name], [...keys, name]))
    : row(member, value?.[name], [...keys, name]));

function row(schema, value, keys) {
  const input = control(schema, value, newValue => addToDraft(keys, newValue));
  const isFixed = schema.readOnly || schema["x-unavailable"];
  for (const field of [input, ...input.querySelectorAll("input")]) {
    field.disabled = Boolean(isFixed);
  }
  const hint = schema["x-locked"] ?? schema["x-unavailable"] ?? schema.description ?? "";
  const label = element("span", {}, schema.title, element("small", { textContent: hint }));
  if (input.tagName === "DIV") {
    input.setAttribute("role", "group");
    input.setAttribute("aria-label", schema.title);
    return element("div", { className: "row" }, label, input);
  }
  return element("label", { className: "row" }, label, input);
}

/** Creates the control of a setting, which calls `change` with each new value. */
function control(schema, value, change) {
  const type = withoutNull(schema);
  const write = read => ({ target }) => {
    if (!target.reportValidity()) return;
    change(target.value === "" && type !== schema ? null : read(target.value));
  };
  const list = text => text.split(/[\s,]+/).filter(Boolean);
  const field = (inputType, read = text => text, properties = {}) => element("input", {
    type: inputType, value: value ?? "", required: type === schema, onchange: write(read),
    ...properties,
  });
  switch (schema["x-kind"] ?? (type.type === "boolean" ? "toggle" : "text")) {
    case "toggle": return element("input", {
      type: "checkbox", checked: value === true, onchange: event => change(event.target.checked),
    });
    case "choice": return element("select", { onchange: write(text => text) },
      ...type.enum.map(word => element("option", {
        value: word, textContent: schema["x-titles"][word], selected: word === value,
      })));
    case "windows": return windows(schema, value ?? [], change);
    case "vacations": return vacations(value ?? {}, change);
    case "days": case "selection": return several(schema, value ?? [], change);
    case "time": case "date": return field(schema["x-kind"]);
    case "number": return field("number", Number, { min: type.minimum, max: type.maximum });
    case "times": return field("text", list, { value: (value ?? []).join(", ") });
    case "numbers":
      return field("text", text => list(text).map(Number), { value: (value ?? []).join(", ") });
    default: return field("text");
  }
}

/** Creates a checkbox for each choice of a list. */
function several(schema, value, change) {
  const chosen = new Set(value);
  return element("div", {}, ...schema.items.enum.map(word => element("label", {},
    element("input", {
      type: "checkbox", checked: chosen.has(word), onchange: event => {
        chosen[event.target.checked ? "add" : "delete"](word);
        change(schema.items.enum.filter(choice => chosen.has(choice)));
      },
    }), ` ${schema["x-titles"][word]} `)));
}

/** Creates a field with a line for each window, such as "sat sun 13:00-15:00". */
function windows(schema, value, change) {
  const lines = value.map(({ days, start, end }) => `${days.join(" ")} ${start}-${end}`);
  const read = line => {
    const [hours, ...days] = line.trim().split(/\s+/).reverse();
    const [start, end] = hours.split("-");
    return { start, end, ...days.length && { days } };
  };
  return element("textarea", {
    value: lines.join("\n"), title: schema.description, onchange: ({ target }) =>
      change(target.value.split("\n").filter(line => line.trim()).map(read)),
  });
}

/** Creates fields for the last day of each announced vacation, and for another vacation. */
function vacations(value, change) {
  const changes = {};
  const write = (from, until) => change(Object.assign(changes, { [from]: until }));
  const date = (value, onchange) => element("input", { type: "date", value, onchange });
  const announced = Object.entries(value).map(([from, until]) => element("label", {},
    `${from} – `, date(until, ({ target }) => write(from, target.value || null))));
  const add = () => first.value && last.value && write(first.value, last.value);
  const [first, last] = [date("", add), date("", add)];
  return element("div", {}, ...announced, element("label", {}, first, " – ", last));
}

// Saving

/** Adds a change to the draft, and shows the effects that the draft would have. */
async function addToDraft(keys, value) {
  let parent = draft;
  for (const name of keys.slice(0, -1)) parent = parent[name] ??= {};
  parent[keys.at(-1)] = value;
  const number = ++trials;
  await guarded(async () => {
    const { body } = await patch("?dryRun=true");
    if (number !== trials) return; // a later change or a save has made this trial outdated
    const effects = body.changes.map(({ change, title, beforeLocal, afterLocal }) =>
      element("li", { textContent: [change, title, beforeLocal, afterLocal].join(" ") }));
    report.replaceChildren(
      element("ul", {}, ...effects, ...body.warnings.map(text => element("li", {}, text))),
      element("button", { type: "button", textContent: "Save", onclick: save }),
      element("button", { type: "button", textContent: "Discard", onclick: () => guarded(load) }));
  }, () => number === trials);
}

const save = () => guarded(async () => {
  await patch("", { "If-Match": version });
  await load();
});

const patch = (query, headers = {}) => ask(query, {
  method: "PATCH", body: JSON.stringify(draft),
  headers: { "Content-Type": "application/json", ...headers },
});

/** Runs an action, and shows its error if the action is still current. */
async function guarded(action, isCurrent = () => true) {
  try {
    await action();
  } catch (error) {
    if (isCurrent()) report.replaceChildren(
      element("p", { role: "alert", textContent: error.message }),
      element("button", { type: "button", textContent: "Discard", onclick: () => guarded(load) }));
  }
}

form.onsubmit = event => event.preventDefault();
guarded(load);
