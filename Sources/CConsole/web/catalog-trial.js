// The effect of a catalog draft on the next days of all people.

import { id } from "./dom.js";
import { card, personLink, soft, table } from "./parts.js";
import { t, word } from "./words.js";

/** @param {any} all the answer of the service; null if there is no draft */
export function catalogTrial(all) {
  if (!all) return card(t("trial"), soft(t("trial.none")));
  return card(t("trial"),
    soft(t(all.exact ? "trial.exact" : "trial.sample", all)),
    all.changes.length > 0 && table(t("trial"),
      ["reminder", "change", "people", "notifications", "examples"], all.changes.map(one => [
        id(one.reminder), word("change", one.change), one.people, one.notifications,
        one.examples.map(name => [personLink(name), " "])])));
}
