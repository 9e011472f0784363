// Describes the inputs of gates in the reader's language.

import { clock, moment, shortDay, span } from "./times.js";
import { hasText, number, t, word, wordList } from "./words.js";

/** How parameters are formatted; other parameters are shown unchanged. */
const formats = {
  cap: number, sent: number, date: shortDay, since: shortDay, start: time, end: time,
  days: days => wordList("choice", days),
};

function time(text) {
  return clock(`2000-01-01 ${text}`);
}

/**
 * Describes a gate's input; undefined if there is no text for its kind.
 * @param {{kind: string, parameters: Record<string, any>}} gate
 * @returns {string|undefined}
 */
export function describeInput({ kind, parameters }) {
  if (kind === "gate") return word("gate", parameters.gate);
  const key = `input.${kind}`;
  if (!hasText(key)) return undefined;
  /** @type {Record<string, any>} */
  const values = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (name.endsWith("Local")) values[name.slice(0, -5)] = moment(value);
    else if (name === "seconds") values.interval = span(value);
    else if (!(`${name}Local` in parameters) && !(name in values)) {
      values[name] = formats[name]?.(value) ?? value;
    }
  }
  return [t(key, values), values.days && t("input.on", values),
    parameters.exemption && t(`exempt.${parameters.exemption}`)].filter(Boolean).join(", ");
}

/** Describes when a notification would be sent without the objections; undefined if a text is
 * missing. */
export function describeObjections({ without, notification }) {
  const facts = without.objections.map(describeInput);
  if (facts.includes(undefined)) return undefined;
  return t(notification ? "why.withoutPast" : "why.without", {
    at: moment(without.local), what: facts.join(t("why.and")),
  });
}
