// Finds the page for the address, and shows who is signed in.

import { h, show } from "./dom.js";
import {
  decoded, exchange, identify, isPerson, leave, mayAdminister, maySeePeople, session, takeTicket,
  token,
} from "./session.js";
import { button, complain, loaded, nextTurn, trouble, unreached } from "./states.js";
import { languages, language, speak, speakAlso, t } from "./words.js";
import { signIn } from "./signin.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top_ = /** @type {HTMLElement} */ (document.getElementById("top"));

const brand = top_.firstElementChild;

const isStaff = () => !isPerson();

/** Each page by the first part of its address, with who may see it; loaded when it is opened, with
 * words of its own if it has any.
 * @type {Record<string, {title: string, may: () => boolean, within?: string,
 *   words?: "desk"|"health", load: () => Promise<any>}>} */
const pages = {
  "": { title: "overview", may: isStaff, words: "health", load: () => import("./overview.js") },
  people: { title: "people", may: maySeePeople, words: "desk", load: () => import("./people.js") },
  p: { title: "person", may: maySeePeople, within: "people", load: () => import("./person.js") },
  me: { title: "me", may: isPerson, load: () => import("./person.js") },
  feed: { title: "feed", may: maySeePeople, words: "desk", load: () => import("./feed.js") },
  dead: { title: "dead", may: maySeePeople, words: "desk", load: () => import("./dead.js") },
  log: { title: "log", may: maySeePeople, words: "desk", load: () => import("./log.js") },
  sinks: { title: "sink", may: isStaff, within: "", words: "desk",
    load: () => import("./sink.js") },
  fleet: { title: "fleet", may: isStaff, within: "", words: "health",
    load: () => import("./fleet.js") },
  catalogs: { title: "catalogs", may: maySeePeople, words: "desk",
    load: () => import("./catalogs.js") },
  access: { title: "access", may: mayAdminister, words: "desk", load: () => import("./access.js") },
  service: { title: "service", may: isStaff, words: "desk", load: () => import("./service.js") },
};

/** The parts of the address behind #/. */
const place = () => location.hash.replace(/^#\/?/, "").split("/").map(decoded);

function header() {
  const [first] = place();
  const open = pages[first]?.within ?? first;
  const links = Object.entries(pages)
    .filter(([, page]) => session() && page.may() && page.within === undefined)
    .map(([name, page]) => h("a", {
      href: `#/${name}`, "aria-current": name === open ? "page" : null,
    }, t(page.title)));
  const choose = h("select", {
    "aria-label": t("language"),
    onchange: async event => {
      await speak(event.target.value).catch(unreached).catch(complain);
      start();
    },
  }, Object.entries(languages).map(([tag, name]) =>
    h("option", { value: tag, lang: tag, selected: tag === language() }, name)));
  show(top_, brand,
    links.length > 0 && h("nav", { "aria-label": t("pages") }, links),
    h("span", { class: "spring" }), choose,
    session() && button(t("signOut"), async () => {
      await leave();
      await start();
      main.focus();
    }, "plain"));
  show(/** @type {Element} */ (document.getElementById("skip")), t("skip"));
  // Where there is no room for all of them.
  top_.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

async function route() {
  nextTurn();
  header();
  if (!session()) return show(main, signIn(() => start()));
  const [first, ...rest] = place();
  const page = pages[first];
  if (!page?.may()) {
    location.replace(isPerson() ? "#/me" : "#/");
    return;
  }
  document.title = `${t(page.title)} · chimed`;
  const container = h("div", { class: "page" });
  show(main, container);
  const [module] = await loaded(container, () =>
    Promise.all([page.load(), page.words && speakAlso(page.words)]));
  await module.default(container, rest);
}

/**
 * Has what will be shown loaded while the service says who is there.
 * @param {Promise<void>} words
 */
async function foresee(words) {
  const page = pages[place()[0]];
  if (!page) return;
  await Promise.all([page.load(), words.then(() => page.words && speakAlso(page.words))]);
}

async function start(ticket = takeTicket()) {
  show(main);
  const words = speak();
  if (ticket || token()) foresee(words).catch(() => null);
  try {
    const [fault] = await Promise.all([enter(ticket), words]).catch(unreached);
    if (fault && !session()) return refused(fault.message ? fault : new Error(t(fault)));
    if (fault) complain(fault);
  } catch (error) {
    await words.catch(() => null);
    return refused(error, () => start(ticket));
  }
  await route();
}

/**
 * Signs in by the ticket, or as before.
 * @param {string} [ticket]
 * @returns {Promise<any>} what was wrong with what somebody wanted to be in by
 */
async function enter(ticket) {
  const fault = ticket && await exchange(ticket).then(() => null, error => error);
  if (fault instanceof TypeError) throw fault;
  const had = token();
  const isIn = await identify();
  return fault || (had && !isIn && "signIn.wrong");
}

/** @param {() => void} [again] */
function refused(error, again) {
  header();
  show(main, trouble(error, again), signIn(() => start()));
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
