// Finds the page for the address, and shows who is signed in.

import { button, h, show } from "./dom.js";
import { exchange, identify, isPerson, leave, maySeePeople, session } from "./session.js";
import { nextTurn, trouble } from "./states.js";
import { languages, language, speak, t } from "./words.js";
import { deadLetters } from "./dead.js";
import { overview } from "./overview.js";
import { people } from "./people.js";
import { person } from "./person.js";
import { service } from "./service.js";
import { signIn } from "./signin.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top_ = /** @type {HTMLElement} */ (document.getElementById("top"));

/** Each page by the first part of its address, with who may see it. */
const pages = {
  "": { title: "overview", may: () => !isPerson(), show: overview },
  people: { title: "people", may: maySeePeople, show: people },
  p: { title: "person", may: maySeePeople, isHidden: true, show: person },
  me: { title: "me", may: isPerson, show: person },
  dead: { title: "dead", may: maySeePeople, show: deadLetters },
  service: { title: "service", may: () => !isPerson(), show: service },
};

/** The parts of the address behind #/. */
const place = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);

function header() {
  const [first] = place();
  const links = Object.entries(pages)
    .filter(([, page]) => session() && page.may() && !("isHidden" in page))
    .map(([name, page]) => h("a", {
      href: `#/${name}`,
      "aria-current": first === name || (first === "p" && name === "people") ? "page" : null,
    }, t(page.title)));
  const choose = h("select", {
    "aria-label": t("language"),
    onchange: event => { speak(event.target.value); start(); },
  }, Object.entries(languages).map(([tag, name]) =>
    h("option", { value: tag, lang: tag, selected: tag === language() }, name)));
  show(top_, h("a", { class: "brand", href: "#/" }, bell(), "chimed"),
    links.length > 0 && h("nav", { "aria-label": t("pages") }, links),
    h("span", { class: "spring" }), choose,
    session() && button(t("signOut"), async () => { await leave(); start(); }, "plain"));
  show(/** @type {Element} */ (document.getElementById("skip")), t("skip"));
}

const bell = () => h("img", { src: "mark.svg", alt: "", width: "22", height: "22" });

async function route() {
  nextTurn();
  header();
  if (!session()) return show(main, signIn(start));
  const [first, ...rest] = place();
  const page = pages[/** @type {keyof typeof pages} */ (first)];
  if (!page || !page.may()) {
    location.replace(isPerson() ? "#/me" : "#/");
    return;
  }
  document.title = `${t(page.title)} · chimed`;
  const container = h("div", { class: "page" });
  show(main, container);
  await page.show(container, rest);
}

async function start() {
  speak();
  show(main);
  try {
    await exchange();
    await identify();
  } catch (error) {
    header();
    return show(main, trouble(error), signIn(start));
  }
  await route();
}

addEventListener("hashchange", async () => {
  if (/^#t=/.test(location.hash)) return start();
  if (!location.hash.startsWith("#/")) return main.focus();
  await route();
  // Unless the page has something of its own to begin with.
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
});
addEventListener("signedout", () => route());
addEventListener("keydown", event => {
  const target = /** @type {Element} */ (event.target);
  if (event.key !== "/" || target.closest("input, select, textarea")) return;
  if (!maySeePeople()) return;
  event.preventDefault();
  location.hash = "#/people";
});
start();
