// The nodes of a fleet.

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
  const reload = () => liveView(content, () => get("/v1/fleet"),
    state => draw(state, reload), POLL_MS);
  await reload();
}

/** @param {() => void} reload */
function draw(state, reload) {
  const ownNode = state.nodes.find(node => node.node === state.node);
  return [
    !state.trusted && h("p", { class: "notice bad" }, "✕ ", t("fleet.distrust")),
    state.skewed && h("p", { class: "notice" }, "◐ ", t("fleet.skewed")),
    state.differences.length > 0 && h("p", { class: "notice" }, "◐ ", t("fleet.differs", {
      parts: state.differences.map(part => t(`differs.${part}`)).join(", "),
    })),
    state.free.length > 0 && h("p", { class: "notice bad" }, "✕ ",
      t("fleet.unowned", { shards: ranges(state.free) })),
    card(null, factList([
      [t("fleet.answers"), id(ownNode ? `${ownNode.name} (${ownNode.node})` : state.node)],
      [t("fleet.lease"), id(seconds(state.lease))],
      [t("fleet.skew"), state.skew !== null && id(seconds(state.skew))],
      [t("fleet.shards"), id(number(state.shards.length))],
    ])),
    card(t("nodes"), table(t("nodes"), mayAdminister() ? [...columns, "actions"] : columns,
      state.nodes.map(node => cells(node, state.shards, reload)))),
  ];
}

const seconds = value => new Intl.NumberFormat(document.documentElement.lang, {
  style: "unit", unit: "second", unitDisplay: "long", maximumFractionDigits: 3,
}).format(value);

function cells(node, shards, reload) {
  const ownShards = shards.filter(shard => shard.node === node.node).map(shard => shard.shard);
  return [
    [id(node.name), " ", h("small", null, id(node.node))],
    chip(cssClasses[node.standing] ?? "dropped", word("standing", node.standing)),
    [number(node.shards), " ", h("small", null, h("bdi", null, ranges(ownShards)))],
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
