// The nodes of a fleet: the state, the shards and the drain of each.

import { get, post } from "./api.js";
import { h, id } from "./dom.js";
import { card, chip, factList, soft, table } from "./parts.js";
import { ranges } from "./ranges.js";
import { mayAdminister } from "./session.js";
import { button, liveView, toast } from "./states.js";
import { span } from "./times.js";
import { number, t, word } from "./words.js";

const POLL_MS = 2_000;
const cssClasses = { serving: "goes", draining: "moved", silent: "failed", gone: "failed" };
const columns = ["node", "standing", "shards", "heartbeat", "address", "version"];

/** @param {HTMLElement} root */
export default async function fleet(root) {
  const content = h("div", { class: "page" });
  root.append(h("h1", null, t("fleet")), soft(t("fleet.about")), content);
  const reload = () => liveView(content, () => get("/v1/fleet"), all => draw(all, reload), POLL_MS);
  await reload();
}

/** @param {() => void} reload */
function draw(all, reload) {
  const own = all.nodes.find(node => node.node === all.node);
  return [
    !all.trusted && h("p", { class: "notice bad" }, "✕ ", t("fleet.distrust")),
    all.skewed && h("p", { class: "notice" }, "◐ ", t("fleet.skewed")),
    all.differences.length > 0 && h("p", { class: "notice" }, "◐ ", t("fleet.differs", {
      parts: all.differences.map(part => t(`differs.${part}`)).join(", "),
    })),
    all.free.length > 0 && h("p", { class: "notice bad" }, "✕ ",
      t("fleet.unowned", { shards: ranges(all.free) })),
    card(null, factList([
      [t("fleet.answers"), id(own ? `${own.name} (${own.node})` : all.node)],
      [t("fleet.lease"), id(seconds(all.lease))],
      [t("fleet.skew"), all.skew !== null && id(seconds(all.skew))],
      [t("fleet.shards"), id(number(all.shards.length))],
    ])),
    card(t("nodes"), table(t("nodes"), mayAdminister() ? [...columns, "actions"] : columns,
      all.nodes.map(node => cells(node, all.shards, reload)))),
  ];
}

const seconds = value => new Intl.NumberFormat(document.documentElement.lang, {
  style: "unit", unit: "second", unitDisplay: "long", maximumFractionDigits: 3,
}).format(value);

function cells(node, shards, reload) {
  const owned = shards.filter(shard => shard.node === node.node).map(shard => shard.shard);
  return [
    [id(node.name), " ", h("small", null, id(node.node))],
    chip(cssClasses[node.standing] ?? "dropped", word("standing", node.standing)),
    [number(node.shards), " ", h("small", null, h("bdi", null, ranges(owned)))],
    node.age === null ? "—" : t("ago", { span: span(Math.floor(node.age)) }),
    node.address ? id(node.address) : "—", id(node.version),
    !node.fenced && drainButton(node, reload),
  ];
}

function drainButton({ node, name, draining }, reload) {
  const verb = draining ? "undrain" : "drain";
  return button(t(verb), async () => {
    if (!draining && !confirm(t("drain.sure", { node: name }))) return;
    await post(`/v1/fleet/nodes/${encodeURIComponent(node)}/${verb}`);
    toast(t(`${verb}.done`, { node: name }));
    reload();
  }, "plain", `${t(verb)}: ${name}`);
}
