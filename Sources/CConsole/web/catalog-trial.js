// The effect of a catalog draft on the next days of all people.

import { id } from "./dom.js";
import { card, personLink, soft, table } from "./parts.js";
import { t, word } from "./words.js";

/** @param {any} trial the answer of the service; null if there is no draft */
export function catalogTrial(trial) {
  if (!trial) return card(t("trial"), soft(t("trial.none")));
  return card(t("trial"),
    soft(t(trial.exact ? "trial.exact" : "trial.sample", trial)),
    trial.changes.length > 0 && table(t("trial"),
      ["reminder", "change", "people", "notifications", "examples"], trial.changes.map(row => [
        id(row.reminder), word("change", row.change), row.people, row.notifications,
        row.examples.map(name => [personLink(name), " "])])));
}
