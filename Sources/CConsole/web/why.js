// Explanations of notifications: the verdicts of the gates for each evaluation, and the deliveries.

import { get } from "./api.js";
import { autoText, h, id, nameList } from "./dom.js";
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
  ([{ explanations }]) => mergeChannels(explanations).map(explanationView));

/** Merges the explanations that differ only in the channels.
 * @param {any[]} explanations */
function mergeChannels(explanations) {
  const key = entry => JSON.stringify({ ...entry, channels: null });
  return explanations.filter((entry, index) =>
    explanations.findIndex(other => key(other) === key(entry)) === index).map(entry => ({
    ...entry,
    channels: explanations.filter(other => key(other) === key(entry))
      .flatMap(other => other.channels),
  }));
}

export function explanationView(entry) {
  return h("div", { class: "explanation" },
    h("p", { class: "summary" }, entry.without
      ? describeObjections(entry) ?? autoText(entry.counterfactual)
      : t(entry.notification ? "why.went" : "why.goes")),
    soft(wordList("channel", entry.channels), entry.channels.length > 0 && " · ",
      t("why.planned", { at: moment(entry.plannedLocal) }), " · ",
      entry.notification ? word("outcome", entry.outcome) : plannedOutcome(entry), " ",
      moment(entry.local)),
    entry.entities && h("p", null, t("why.about"), " ", nameList(entry.entities)),
    entry.endedEntities && h("p", null, t("why.ended"), " ", nameList(entry.endedEntities)),
    entry.timing && h("p", null, autoText(entry.timing)),
    entry.for && h("p", null, t("why.for"), " ", autoText(entry.for.reminder)),
    checks(entry.rounds ?? [{ gates: entry.verdicts ?? [] }]),
    entry.deliveries?.length > 0 && [h("p", { class: "caption" }, t("why.attempts")),
      h("ul", { class: "plain" }, entry.deliveries.map(deliveryItem))]);
}

const plannedOutcome = ({ outcome }) =>
  t(outcome === "dropped" ? "state.dropped" : "state.goes");

/** The gates that decided, and a details element with all gates.
 * @param {any[]} rounds */
function checks(rounds) {
  const count = rounds.reduce((sum, round) => sum + round.gates.length, 0);
  return [gateList(deciding(rounds)), count > 0 && h("details", { class: "checks" },
    h("summary", null, t("why.all", { count })), rounds.map(roundView))];
}

const verdictOrder = ["drops", "holds", "silences"];

/** The distinct gates that did not pass, those with the strongest verdict first.
 * @param {{gates: any[]}[]} rounds */
export function deciding(rounds) {
  const all = rounds.flatMap(round => round.gates)
    .filter(gate => verdictOrder.includes(gate.verdict));
  const key = gate => `${gate.gate} ${gate.verdict} ${gate.untilLocal}`;
  return all.filter((gate, index) => all.findIndex(other => key(other) === key(gate)) === index)
    .sort((a, b) => verdictOrder.indexOf(a.verdict) - verdictOrder.indexOf(b.verdict));
}

const roundView = round => [
  round.local && h("p", { class: "caption" }, moment(round.local)),
  gateList(round.gates),
];

/** @param {any[]} list */
const gateList = list => list.length > 0 && h("ol", { class: "gates" }, list.map(gateItem));

const gateItem = gate => h("li", { class: gate.verdict },
  h("span", { "aria-hidden": "true" }, marks[gate.verdict]),
  h("span", null, h("b", null, word("gate", gate.gate)), " ", word("verdict", gate.verdict),
    gate.untilLocal && ` ${t("until", { at: moment(gate.untilLocal) })}`),
  gate.input ? describeInput(gate) ?? autoText(gate.input) : h("span"));

const deliveryItem = delivery => h("li", null,
  h("b", null, word("channel", delivery.channel)), " ", id(delivery.sink), " ",
  word("outcome", delivery.state), delivery.reason && [": ", autoText(delivery.reason)],
  delivery.nextLocal && ` ${t("why.next", { at: clock(delivery.nextLocal) })}`,
  delivery.attempts && h("ul", null, delivery.attempts.map(attempt => h("li", null,
    moment(attempt.local), " ", word("outcome", attempt.verdict), " ", attempt.status ?? "",
    attempt.reason && [" ", autoText(attempt.reason)]))));
