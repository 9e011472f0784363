// The nodes that work on one store: who is there, who owns how much, and who is to give it away.

import { ask, get } from "./api.js";
import { button, h, id } from "./dom.js";
import { ranges } from "./ranges.js";
import { mayAdminister } from "./session.js";
import { complain, live, toast } from "./states.js";
import { span } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 2_000;
const looks = { serving: "goes", draining: "moved", silent: "failed", gone: "failed" };
const marks = { serving: "●", draining: "◐", silent: "✕", gone: "✕", fenced: "○" };

/** @param {HTMLElement} place */
export default async function fleet(place) {
  const how = h("div", { class: "page" });
  place.append(h("h1", null, t("fleet")), h("p", { class: "soft" }, t("fleet.about")), how);
  const again = () => live(how, () => get("/v1/fleet"), all => draw(all, again), EVERY);
  await again();
}

/** @param {() => void} again */
function draw(all, again) {
  const [own] = all.nodes.filter(node => node.node === all.node);
  const facts = {
    "fleet.answers": own ? `${own.name} (${own.node})` : all.node,
    "fleet.lease": seconds(all.lease), "fleet.skew": all.skew === null ? "" : seconds(all.skew),
    "fleet.shards": number(all.shards.length),
  };
  return [
    !all.trusted && h("p", { class: "notice bad" }, "✕ ", t("fleet.distrust")),
    all.skewed && h("p", { class: "notice" }, "◐ ", t("fleet.skewed")),
    all.free.length > 0 && h("p", { class: "notice bad" }, "✕ ",
      t("fleet.free", { shards: ranges(all.free) })),
    h("section", { class: "card" }, h("dl", { class: "facts" }, Object.entries(facts)
      .filter(([, value]) => value)
      .map(([name, value]) => h("div", null, h("dt", null, t(name)), h("dd", null, id(value)))))),
    h("section", { class: "card" }, h("h2", { id: "nodes" }, t("nodes")), table(all, again)),
  ];
}

/** To the millisecond. */
const seconds = value => new Intl.NumberFormat(document.documentElement.lang, {
  style: "unit", unit: "second", unitDisplay: "long", maximumFractionDigits: 3,
}).format(value);

function table(all, again) {
  const columns = ["node", "standing", "shards", "heartbeat", "address", "version"];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "nodes" },
    h("table", null,
      h("thead", null, h("tr", null, columns.map(name => h("th", { scope: "col" },
        t(`column.${name}`))), mayAdminister() && h("th", { scope: "col" }, t("column.acts")))),
      h("tbody", null, all.nodes.map(node => row(node, all, again)))));
}

function row(node, all, again) {
  const standing = /** @type {keyof typeof marks} */ (node.standing);
  const look = looks[/** @type {keyof typeof looks} */ (node.standing)] ?? "dropped";
  const owned = all.shards.filter(shard => shard.node === node.node).map(shard => shard.shard);
  return h("tr", null,
    h("th", { scope: "row" }, id(node.name), " ", h("small", null, id(node.node))),
    h("td", null, h("span", { class: `chip ${look}` },
      h("span", { "aria-hidden": "true" }, marks[standing] ?? "○"), " ",
      word("standing", node.standing))),
    h("td", null, number(node.shards), " ", h("small", null, h("bdi", null, ranges(owned)))),
    h("td", null, node.age === null ? "—" : t("ago", { span: span(Math.floor(node.age)) })),
    h("td", null, node.address ? id(node.address) : "—"), h("td", null, id(node.version)),
    mayAdminister() && h("td", null, !node.fenced && draining(node, again)));
}

/** Has a node give everything away, or takes that back. */
function draining(node, again) {
  const verb = node.draining ? "undrain" : "drain";
  const deed = button(t(verb), async () => {
    if (verb === "drain" && !confirm(t("drain.sure", { node: node.name }))) return;
    try {
      await ask(`/v1/fleet/nodes/${encodeURIComponent(node.node)}/${verb}`, { method: "POST" });
      toast(t(`${verb}.done`, { node: node.name }));
      again();
    } catch (error) {
      complain(error);
    }
  }, "plain");
  deed.setAttribute("aria-label", `${t(verb)}: ${node.name}`);
  return deed;
}
