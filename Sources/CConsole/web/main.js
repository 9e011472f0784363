// The entry point: routes addresses to pages, and shows the header.

import { h, loadStyle, show } from "./dom.js";
import {
  decodePart, exchangeTicket, identify, isPerson, mayAdminister, maySeePeople, session, signOut,
  takeTicket, token,
} from "./session.js";
import {
  button, endViews, errorNotice, finishToast, loadModule, showError, throwUnreachable,
} from "./states.js";
import { distance } from "./times.js";
import { language, languages, loadTexts, setLanguage, t } from "./words.js";
import { signIn } from "./sign-in.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top_ = /** @type {HTMLElement} */ (document.getElementById("top"));

const brand = top_.firstElementChild;

const isStaff = () => !isPerson();

/** The pages by the first part of their address. `may` returns whether the session may open it.
 * A page with `within` has no menu entry: the menu marks the page that `within` names.
 * @type {Record<string, {title: string, may: () => boolean, within?: string,
 *   words?: "operator"|"health", load: () => Promise<any>}>} */
const pages = {
  "": { title: "overview", may: isStaff, words: "health", load: () => import("./overview.js") },
  people: { title: "people", may: maySeePeople, words: "operator",
    load: () => import("./people.js") },
  p: { title: "person", may: maySeePeople, within: "people", load: () => import("./person.js") },
  me: { title: "me", may: isPerson, load: () => import("./person.js") },
  feed: { title: "feed", may: maySeePeople, words: "operator", load: () => import("./feed.js") },
  dead: { title: "dead", may: maySeePeople, words: "operator",
    load: () => import("./dead-letters.js") },
  log: { title: "log", may: maySeePeople, words: "operator", load: () => import("./log.js") },
  sinks: { title: "sink", may: isStaff, within: "", words: "operator",
    load: () => import("./sink.js") },
  fleet: { title: "fleet", may: isStaff, within: "", words: "health",
    load: () => import("./fleet.js") },
  catalogs: { title: "catalogs", may: maySeePeople, words: "operator",
    load: async () =>
      (await Promise.all([import("./catalogs.js"), loadStyle("catalogs.css")]))[0] },
  access: { title: "access", may: mayAdminister, words: "operator",
    load: () => import("./access.js") },
  service: { title: "service", may: isStaff, words: "operator",
    load: () => import("./service.js") },
};

/** The page with this name; undefined if there is none, even for `toString`. */
const pageNamed = name => Object.hasOwn(pages, name) ? pages[name] : undefined;

const addressParts = () => location.hash.replace(/^#\/?/, "").split("/").map(decodePart);

function header() {
  const [first] = addressParts();
  const current = pageNamed(first)?.within ?? first;
  const links = menuPages().map(([name, page]) => h("a", {
    href: `#/${name}`, "aria-current": name === current ? "page" : null,
  }, t(page.title)));
  const chooser = h("select", {
    "aria-label": t("language"),
    onchange: async event => {
      await setLanguage(event.target.value).catch(throwUnreachable).catch(showError);
      start();
    },
  }, Object.entries(languages).map(([tag, name]) =>
    h("option", { value: tag, lang: tag, selected: tag === language() }, name)));
  top_.classList.remove("open");
  show(top_, brand, links.length > 0 && menuButton(),
    h("div", { id: "menu" },
      links.length > 0 && h("nav", { "aria-label": t("pages") }, links),
      h("span", { class: "spring" }), links.length > 1 && jumpButton(), chooser,
      session() && [densityButton(), button(t("signOut"), async () => {
        await finishToast();
        await signOut();
        await start();
        main.focus();
      }, "plain")]));
  show(/** @type {Element} */ (document.getElementById("skip")), t("skip"));
}

const menuPages = () => Object.entries(pages)
  .filter(([, page]) => session() && page.may() && page.within === undefined);

/** A button for narrow screens. A new address closes the menu. */
function menuButton() {
  const element = button(`☰ ${t("menu")}`, () => {
    element.ariaExpanded = String(top_.classList.toggle("open"));
  }, "menu");
  element.ariaExpanded = "false";
  return element;
}

const jumpButton = () => h("button", {
  class: "jump", "aria-keyshortcuts": "/ Control+K", onclick: jump,
}, t("jump"), " ", h("kbd", null, "/"));

async function jump() {
  const module = await import("./jump.js").catch(throwUnreachable).catch(showError);
  module?.jump(menuPages().map(([name, page]) => ({ address: `#/${name}`, title: t(page.title) })));
}

const DENSITY = "chimed.density";

/** The button for compact density. The browser stores the choice. */
function densityButton() {
  const element = button(t("compact"), () => {
    const isCompact = document.documentElement.classList.toggle("compact");
    localStorage.setItem(DENSITY, isCompact ? "compact" : "");
    element.ariaPressed = String(isCompact);
  }, "plain density");
  element.ariaPressed = String(document.documentElement.classList.contains("compact"));
  return element;
}

async function route() {
  endViews();
  header();
  if (!session()) return show(main, signIn(() => start()));
  const [first, ...rest] = addressParts();
  const page = pageNamed(first);
  if (!page?.may()) {
    location.replace(isPerson() ? "#/me" : "#/");
    return;
  }
  document.title = `${t(page.title)} · chimed`;
  const container = h("div", { class: "page" });
  show(main, container);
  const [module] = await loadModule(container, () =>
    Promise.all([page.load(), page.words && loadTexts(page.words)]));
  await module.default(container, rest);
}

/** Loads the page and its texts, at the same time as the session.
 * @param {Promise<void>} words */
async function preload(words) {
  const page = pageNamed(addressParts()[0]);
  if (!page) return;
  await Promise.all([page.load(), words.then(() => page.words && loadTexts(page.words))]);
}

async function start(ticket = takeTicket()) {
  show(main);
  const words = setLanguage();
  if (ticket || token()) preload(words).catch(() => null);
  try {
    const [fault] = await Promise.all([signInWith(ticket), words]).catch(throwUnreachable);
    if (fault && !session()) return showRefusal(fault.message ? fault : new Error(t(fault)));
    if (fault) showError(fault);
  } catch (error) {
    await words.catch(() => null);
    return showRefusal(error, () => start(ticket));
  }
  await route();
}

/** Signs in with the ticket if there is one, else with the stored token.
 * @param {string} [ticket]
 * @returns {Promise<any>} the reason of a refusal; null or false if there is none */
async function signInWith(ticket) {
  const fault = ticket && await exchangeTicket(ticket).then(() => null, error => error);
  if (fault instanceof TypeError) throw fault;
  const hadToken = token();
  const isSignedIn = await identify();
  return fault || (hadToken && !isSignedIn && "signIn.wrong");
}

/** @param {() => void} [retry] */
function showRefusal(error, retry) {
  header();
  show(main, errorNotice(error, retry), signIn(() => start()));
}

addEventListener("hashchange", async () => {
  if (/^#t=/.test(location.hash)) return start();
  if (!location.hash.startsWith("#/")) return main.focus();
  await route();
  // The page may have focused a field.
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
});
addEventListener("signedout", () => route());
addEventListener("keydown", event => {
  const target = /** @type {Element} */ (event.target);
  const isSlash = event.key === "/" && !target.closest("input, select, textarea");
  const isCommand = event.key === "k" && (event.ctrlKey || event.metaKey);
  if (event.key === "Escape" && top_.classList.contains("open")) header();
  if (!isSlash && !isCommand || menuPages().length < 2) return;
  event.preventDefault();
  jump();
});
setInterval(() => {
  if (document.hidden) return;
  for (const element of document.querySelectorAll("time[data-relative]")) {
    element.textContent = distance(/** @type {HTMLTimeElement} */ (element).dateTime);
  }
}, 30_000);
document.documentElement.classList.toggle("compact", localStorage.getItem(DENSITY) === "compact");
start();
