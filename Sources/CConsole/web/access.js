// The tokens, and the audit log.

import { get, request } from "./api.js";
import { autoText, h, id } from "./dom.js";
import { journal } from "./log.js";
import { card, relative, select, soft, table } from "./parts.js";
import { button, empty, liveView, toast } from "./states.js";
import { t, word } from "./words.js";

/** @param {HTMLElement} root */
export default async function access(root) {
  const list = card();
  const changes = card();
  root.append(h("h1", null, t("access")), list, tokenForm(), changes);
  const load = () => get("/v1/tokens?limit=1000");
  const reload = () => liveView(list, load, page => draw(page, reload));
  await Promise.all([reload(), journal(changes, { changes: true },
    [h("h2", null, t("access.changes")), soft(t("access.changes.about"))])]);
}

function draw({ tokens }, reload) {
  const columns = ["name", "scope", "status", "created", "ends", "lastUsed", "actions"];
  return [h("h2", null, t("tokens")), tokens.length
    ? table(t("tokens"), columns, tokens.reverse().map(token => cells(token, reload)))
    : empty(t("tokens.empty"))];
}

function cells(token, reload) {
  const isValid = token.status === "valid";
  const orDash = instant => relative(instant) || "—";
  return [[autoText(token.name), " ", h("small", null, id(token.id))], id(permissions(token)),
    [isValid ? "● " : "○ ", word("token", token.status)],
    relative(token.created), orDash(token.expires), orDash(token.lastUsed),
    isValid && revokeButton(token, reload)];
}

const permissions = ({ scope, types, source }) => scope
  + (types ? ` types=${types.join(",")}` : "") + (source ? ` source=${source}` : "");

const revokeButton = ({ id, name }, reload) => button(t("revoke"), async () => {
  if (!confirm(t("revoke.sure", { name }))) return;
  await request(`/v1/tokens/${id}`, { method: "DELETE" });
  toast(t("revoke.done", { name }));
  reload();
}, "plain", `${t("revoke")}: ${name}`);

/** Shows the command that creates a token. */
function tokenForm() {
  const line = h("code", { class: "command", dir: "ltr", "aria-live": "polite" });
  const update = () => line.replaceChildren(`chimectl token create ${shellWord(name.value)} `
    + `--scope ${scope.value} --for ${span.value}`);
  const name = h("input", { value: "backend", maxlength: "100", oninput: update });
  const scope = select({ onchange: update },
    ["observer", "report", "support", "admin", "recipient:ID"]);
  const span = select({ onchange: update }, ["30d", "365d", "never"],
    value => t(`span.${value}`));
  update();
  return card(t("tokens.make"), soft(t("tokens.make.about")),
    h("div", { class: "filters" }, h("label", null, t("column.name"), name),
      h("label", null, t("column.scope"), scope), h("label", null, t("column.ends"), span)),
    line);
}

const shellWord = text => /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
