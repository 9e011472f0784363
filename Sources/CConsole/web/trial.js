// What a draft of a catalog changes of what people are told in their next days.

import { id } from "./dom.js";
import { card, linked, soft, table } from "./parts.js";
import { number, t, word } from "./words.js";

/** @param {any} all nothing while there is no draft */
export function trial(all) {
  if (!all) return card(t("trial"), soft(t("trial.none")));
  return card(t("trial"),
    soft(t(all.exact ? "trial.exact" : "trial.sample", {
      changed: number(all.changed), people: number(all.people), asked: number(all.asked),
    })),
    all.changes.length > 0 && table(t("trial"),
      ["reminder", "change", "people", "notifications", "examples"], all.changes.map(one => [
        id(one.reminder), word("change", one.change), one.people, one.notifications,
        one.examples.map(name => [linked(name), " "])])));
}
