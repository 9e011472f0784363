// Who may ask for what, and who has changed something.

import { ask, get } from "./api.js";
import { button, h, id, said } from "./dom.js";
import { journal } from "./log.js";
import { complain, empty, live, toast } from "./states.js";
import { utc } from "./times.js";
import { t, word } from "./words.js";

/** @param {HTMLElement} place */
export default async function access(place) {
  const list = h("section", { class: "card" });
  const changes = h("section", { class: "card" });
  place.append(h("h1", null, t("access")), list, maker(), changes);
  const again = () => live(list, () => get("/v1/tokens?limit=1000"), page => draw(page, again));
  await Promise.all([again(),
    journal(changes, { changes: true }, [h("h2", null, t("access.changes")),
      h("p", { class: "soft" }, t("access.changes.about"))])]);
}

function draw(page, again) {
  const head = h("h2", { id: "tokens" }, t("tokens"));
  if (!page.tokens.length) return [head, empty(t("tokens.empty"))];
  const columns = ["name", "scope", "status", "created", "ends", "lastUsed"];
  return [head, h("div", { class: "scroll", tabindex: 0, role: "region",
    "aria-labelledby": "tokens" }, h("table", null,
    h("thead", null, h("tr", null,
      columns.map(name => h("th", { scope: "col" }, t(`column.${name}`))),
      h("th", { scope: "col" }, h("span", { class: "unseen" }, t("revoke"))))),
    h("tbody", null, [...page.tokens].reverse().map(one => row(one, again)))))];
}

function row(one, again) {
  const isValid = one.status === "valid";
  const revoke = async () => {
    if (!confirm(t("revoke.sure", { name: one.name }))) return;
    try {
      await ask(`/v1/tokens/${one.id}`, { method: "DELETE" });
      toast(t("revoke.done", { name: one.name }));
      again();
    } catch (error) {
      complain(error);
    }
  };
  const end = button(t("revoke"), revoke, "plain");
  end.setAttribute("aria-label", `${t("revoke")}: ${one.name}`);
  return h("tr", null,
    h("th", { scope: "row" }, said(one.name), " ", h("small", null, id(one.id))),
    h("td", null, id(one.scope)),
    h("td", null, isValid ? "● " : "○ ", word("token", one.status)),
    h("td", null, utc(one.created)), h("td", null, one.expires ? utc(one.expires) : "—"),
    h("td", null, one.lastUsed ? utc(one.lastUsed) : "—"),
    h("td", null, isValid && end));
}

/** A token is made where the system vouches for who does it: here is the line that does. */
function maker() {
  const line = h("code", { class: "command", dir: "ltr", "aria-live": "polite" });
  const name = h("input", { value: "backend", maxlength: "100", oninput: () => write() });
  const scope = h("select", { onchange: () => write() },
    ["observer", "support", "admin", "recipient:ID"].map(value =>
      h("option", { value }, value)));
  const span = h("select", { onchange: () => write() }, ["30d", "365d", ""].map(value =>
    h("option", { value }, value ? t(`span.${value}`) : t("span.ever"))));
  const write = () => line.replaceChildren(`chimectl token create ${quoted(name.value)} `
    + `--scope ${scope.value}${span.value && ` --for ${span.value}`}`);
  write();
  return h("section", { class: "card" }, h("h2", null, t("tokens.make")),
    h("p", { class: "soft" }, t("tokens.make.about")),
    h("div", { class: "filters" }, h("label", null, t("column.name"), name),
      h("label", null, t("column.scope"), scope), h("label", null, t("column.ends"), span)),
    line);
}

/** As a shell takes it for one word. */
const quoted = text => /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
