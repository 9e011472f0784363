import { h } from "./dom.js";
import { storeToken } from "./session.js";
import { t } from "./words.js";

/** @param {() => void} onToken */
export function signIn(onToken) {
  const field = h("input", {
    id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
  });
  return h("section", { class: "card narrow" },
    h("h1", null, t("signIn")),
    h("p", null, t("signIn.how")),
    h("p", null, h("code", { class: "command", dir: "ltr" }, "chimectl console")),
    h("form", {
      onsubmit: event => {
        event.preventDefault();
        storeToken(field.value.trim());
        onToken();
      },
    },
      h("label", { for: "token" }, t("signIn.token")), field,
      h("button", { class: "main" }, t("signIn"))));
}
