// Who may ask for what, and who has changed something.

import { ask, get } from "./api.js";
import { h, id, said } from "./dom.js";
import { journal } from "./log.js";
import { card, select, soft, table } from "./parts.js";
import { button, empty, live, toast } from "./states.js";
import { utc } from "./times.js";
import { t, word } from "./words.js";

/** @param {HTMLElement} place */
export default async function access(place) {
  const list = card();
  const changes = card();
  place.append(h("h1", null, t("access")), list, maker(), changes);
  const again = () => live(list, () => get("/v1/tokens?limit=1000"), page => draw(page, again));
  await Promise.all([again(), journal(changes, { changes: true },
    [h("h2", null, t("access.changes")), soft(t("access.changes.about"))])]);
}

function draw({ tokens }, again) {
  const columns = ["name", "scope", "status", "created", "ends", "lastUsed",
    h("th", { scope: "col" }, h("span", { class: "unseen" }, t("revoke")))];
  return [h("h2", null, t("tokens")), tokens.length
    ? table(t("tokens"), columns, tokens.reverse().map(one => cells(one, again)))
    : empty(t("tokens.empty"))];
}

function cells(one, again) {
  const isValid = one.status === "valid";
  const ever = instant => utc(instant) || "—";
  return [[said(one.name), " ", h("small", null, id(one.id))], id(one.scope),
    [isValid ? "● " : "○ ", word("token", one.status)],
    utc(one.created), ever(one.expires), ever(one.lastUsed), isValid && end(one, again)];
}

const end = ({ id, name }, again) => button(t("revoke"), async () => {
  if (!confirm(t("revoke.sure", { name }))) return;
  await ask(`/v1/tokens/${id}`, { method: "DELETE" });
  toast(t("revoke.done", { name }));
  again();
}, "plain", `${t("revoke")}: ${name}`);

/** A token is made where the system vouches for who does it: here is the line that does. */
function maker() {
  const line = h("code", { class: "command", dir: "ltr", "aria-live": "polite" });
  const write = () => line.replaceChildren(`chimectl token create ${quoted(name.value)} `
    + `--scope ${scope.value}${span.value && ` --for ${span.value}`}`);
  const name = h("input", { value: "backend", maxlength: "100", oninput: write });
  const scope = select({ onchange: write }, ["observer", "support", "admin", "recipient:ID"]);
  const span = select({ onchange: write }, ["30d", "365d", ""],
    value => t(`span.${value || "ever"}`));
  write();
  return card(t("tokens.make"), soft(t("tokens.make.about")),
    h("div", { class: "filters" }, h("label", null, t("column.name"), name),
      h("label", null, t("column.scope"), scope), h("label", null, t("column.ends"), span)),
    line);
}

/** As a shell takes it for one word. */
const quoted = text => /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
