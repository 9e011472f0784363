// Says what a gate looked at, in the reader's language.

import { clock, moment, shortDay, span } from "./times.js";
import { isSaid, listed, number, t, word } from "./words.js";

/** How each parameter is shown that is not as it is. */
const shown = {
  cap: number, said: number, date: shortDay, start: time, end: time,
  days: days => listed("choice", days),
};

/** A time of day alone. */
function time(text) {
  return clock(`2000-01-01 ${text}`);
}

/**
 * Nothing where there are no words for it.
 * @param {{kind: string, parameters: Record<string, any>}} gate
 * @returns {string|undefined}
 */
export function looked({ kind, parameters }) {
  if (kind === "gate") return word("gate", parameters.gate);
  const key = `looked.${kind}`;
  if (!isSaid(key)) return undefined;
  /** @type {Record<string, any>} */
  const values = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (name.endsWith("Local")) values[name.slice(0, -5)] = moment(value);
    else if (name === "seconds") values.interval = span(value);
    else if (!(`${name}Local` in parameters) && !(name in values)) {
      values[name] = shown[name]?.(value) ?? value;
    }
  }
  return [t(key, values), values.days && t("looked.on", values),
    parameters.exemption && t(`exempt.${parameters.exemption}`)].filter(Boolean).join(", ");
}

/** What would be without the gates that objected first; nothing where there are no words for it. */
export function objections({ without, notification }) {
  const facts = without.objections.map(looked);
  if (facts.includes(undefined)) return undefined;
  return t(notification ? "why.butWent" : "why.but", {
    at: moment(without.local), what: facts.join(t("why.and")),
  });
}
