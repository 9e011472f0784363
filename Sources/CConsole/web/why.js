// Explanations of notifications: the verdicts of the gates for each evaluation, and the deliveries.

import { get } from "./api.js";
import { autoText, h, id } from "./dom.js";
import { describeInput, describeObjections } from "./gate-inputs.js";
import { soft } from "./parts.js";
import { liveView, throwUnreachable } from "./states.js";
import { clock, moment } from "./times.js";
import { loadTexts, t, word, wordList } from "./words.js";

const marks = { passes: "✓", silences: "♪", holds: "◐", drops: "○" };

/** A details element that loads its explanation when it is opened. */
export function whyDetails(label, title, path) {
  const inside = h("div", { class: "why" });
  return h("details", {
    class: "whys",
    ontoggle: async event => {
      if (event.target.open && !inside.hasChildNodes()) await showWhy(inside, path);
    },
  }, h("summary", { "aria-label": `${label} ${title}` }, label), inside);
}

/** Loads an explanation and shows it.
 * @param {HTMLElement} inside */
export const showWhy = (inside, path) => liveView(inside,
  () => Promise.all([get(path), loadTexts("why")]).catch(throwUnreachable),
  ([{ explanations }]) => mergeChannels(explanations).map(explanation));

/** Merges the explanations that differ only in the channels.
 * @param {any[]} explanations */
function mergeChannels(explanations) {
  const same = one => JSON.stringify({ ...one, channels: null });
  return explanations.filter((one, index) =>
    explanations.findIndex(other => same(other) === same(one)) === index).map(one => ({
    ...one,
    channels: explanations.filter(other => same(other) === same(one))
      .flatMap(other => other.channels),
  }));
}

function explanation(one) {
  return h("div", { class: "explanation" },
    h("p", { class: "summary" }, one.without ? describeObjections(one) ?? autoText(one.counterfactual)
      : t(one.notification ? "why.went" : "why.goes")),
    soft(wordList("channel", one.channels), one.channels.length > 0 && " · ",
      t("why.planned", { at: moment(one.plannedLocal) }), " · ",
      one.notification ? word("outcome", one.outcome) : foreseen(one), " ", moment(one.local)),
    one.timing && h("p", null, autoText(one.timing)),
    one.for && h("p", null, t("why.for"), " ", autoText(one.for.reminder)),
    checks(one.rounds ?? [{ gates: one.verdicts ?? [] }]),
    one.deliveries?.length > 0 && [h("p", { class: "caption" }, t("why.attempts")),
      h("ul", { class: "plain" }, one.deliveries.map(delivery))]);
}

const foreseen = one => t(one.outcome === "dropped" ? "state.dropped" : "state.goes");

/** The gates that decided, and a details element with all gates.
 * @param {any[]} rounds */
function checks(rounds) {
  const count = rounds.reduce((sum, one) => sum + one.gates.length, 0);
  return [gates(deciding(rounds)), count > 0 && h("details", { class: "checks" },
    h("summary", null, t("why.all", { count })), rounds.map(round))];
}

const weights = ["drops", "holds", "silences"];

/** The different verdicts other than "passes", the strongest first.
 * @param {{gates: any[]}[]} rounds */
export function deciding(rounds) {
  const all = rounds.flatMap(one => one.gates).filter(one => weights.includes(one.verdict));
  const key = one => `${one.gate} ${one.verdict} ${one.untilLocal}`;
  return all.filter((one, index) => all.findIndex(other => key(other) === key(one)) === index)
    .sort((one, other) => weights.indexOf(one.verdict) - weights.indexOf(other.verdict));
}

const round = one => [
  one.local && h("p", { class: "caption" }, moment(one.local)),
  gates(one.gates),
];

/** @param {any[]} all */
const gates = all => all.length > 0 && h("ol", { class: "gates" }, all.map(gate));

const gate = one => h("li", { class: one.verdict },
  h("span", { "aria-hidden": "true" }, marks[one.verdict]),
  h("span", null, h("b", null, word("gate", one.gate)), " ", word("verdict", one.verdict),
    one.untilLocal && ` ${t("until", { at: moment(one.untilLocal) })}`),
  one.input ? describeInput(one) ?? autoText(one.input) : h("span"));

const delivery = one => h("li", null,
  h("b", null, word("channel", one.channel)), " ", id(one.sink), " ",
  word("outcome", one.state), one.reason && [": ", autoText(one.reason)],
  one.nextLocal && ` ${t("why.next", { at: clock(one.nextLocal) })}`,
  one.attempts && h("ul", null, one.attempts.map(attempt => h("li", null,
    moment(attempt.local), " ", word("outcome", attempt.verdict), " ", attempt.status ?? "",
    attempt.reason && [" ", autoText(attempt.reason)]))));
