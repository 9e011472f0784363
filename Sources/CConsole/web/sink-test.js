// Sends a test delivery to a sink and shows the response of the sink.

import { post } from "./api.js";
import { autoText, h, id, show } from "./dom.js";
import { card, select, soft } from "./parts.js";
import { errorNotice } from "./states.js";
import { t, word } from "./words.js";

const channels = ["push", "email", "sms", "inapp"];

export function sinkTest(sink) {
  const result = h("div", { "aria-live": "polite" });
  const channel = select(null, ["", ...channels],
    name => name ? word("channel", name) : t("sink.test.first"));
  const person = h("input", { maxlength: "128", autocomplete: "off", dir: "auto" });
  const send = h("button", null, t("sink.test"));
  return card(t("sink.test"), soft(t("sink.test.about")),
    h("form", {
      class: "filters",
      onsubmit: async event => {
        event.preventDefault();
        // A disabled button would lose the focus.
        if (send.ariaDisabled === "true") return;
        send.ariaDisabled = "true";
        show(result, t("sink.test.waits"));
        await test(sink, channel.value, person.value.trim(), result);
        send.ariaDisabled = "false";
      },
    }, h("label", null, t("column.channel"), channel),
    h("label", null, t("sink.test.person"), person), send), result);
}

/** @param {HTMLElement} result */
async function test(sink, channel, recipient, result) {
  const body = { ...channel && { channel }, ...recipient && { recipient } };
  try {
    show(result, outcome(await post(`/v1/sinks/${encodeURIComponent(sink)}/test`, body)));
  } catch (error) {
    show(result, errorNotice(error));
  }
}

function outcome(answer) {
  const isDelivered = answer.verdict === "delivered";
  const duration = answer.milliseconds === undefined ? "" : `${answer.milliseconds} ms`;
  return h("div", { class: isDelivered ? "notice" : "notice bad" },
    h("p", null, h("b", null, isDelivered ? "● " : "✕ ", word("outcome", answer.verdict)), " ",
      [answer.status, duration].filter(Boolean).join(", "), " ", h("small", null, id(answer.id))),
    [answer.reason, answer.excerpt].filter(Boolean).map(text => h("p", null, autoText(text))));
}
