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
    ? table(t("tokens"), columns, tokens.reverse().map(one => cells(one, reload)))
    : empty(t("tokens.empty"))];
}

function cells(one, reload) {
  const isValid = one.status === "valid";
  const orDash = instant => relative(instant) || "—";
  return [[autoText(one.name), " ", h("small", null, id(one.id))], id(permissions(one)),
    [isValid ? "● " : "○ ", word("token", one.status)],
    relative(one.created), orDash(one.expires), orDash(one.lastUsed),
    isValid && revokeButton(one, reload)];
}

const permissions = ({ scope, types, source }) => scope
  + (types ? ` types=${types.join(",")}` : "") + (source ? ` source=${source}` : "");

const revokeButton = ({ id, name }, reload) => button(t("revoke"), async () => {
  if (!confirm(t("revoke.sure", { name }))) return;
  await request(`/v1/tokens/${id}`, { method: "DELETE" });
  toast(t("revoke.done", { name }));
  reload();
}, "plain", `${t("revoke")}: ${name}`);

/** Shows the chimectl command that creates a token, because the console cannot create one. */
function tokenForm() {
  const line = h("code", { class: "command", dir: "ltr", "aria-live": "polite" });
  const write = () => line.replaceChildren(`chimectl token create ${quoted(name.value)} `
    + `--scope ${scope.value} --for ${span.value}`);
  const name = h("input", { value: "backend", maxlength: "100", oninput: write });
  const scope = select({ onchange: write }, ["observer", "report", "support", "admin", "recipient:ID"]);
  const span = select({ onchange: write }, ["30d", "365d", "never"],
    value => t(`span.${value}`));
  write();
  return card(t("tokens.make"), soft(t("tokens.make.about")),
    h("div", { class: "filters" }, h("label", null, t("column.name"), name),
      h("label", null, t("column.scope"), scope), h("label", null, t("column.ends"), span)),
    line);
}

/** Quotes a text as one word of a shell. */
const quoted = text => /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
