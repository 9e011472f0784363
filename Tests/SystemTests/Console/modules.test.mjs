// Tests of the console's modules that need no browser.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { beforeEach, test } from "node:test";

const web = new URL("../../../Sources/CConsole/web/", import.meta.url);
const load = name => import(new URL(name, web));

// The modules expect these objects of a browser.
globalThis.document = { documentElement: {} };
globalThis.localStorage = { getItem: () => null, setItem: () => {} };
const setBrowserLanguages = tags => Object.defineProperty(globalThis, "navigator", {
  value: { languages: tags }, configurable: true,
});

const words = await load("words.js");
const times = await load("times.js");
const { quantile, shortDuration } = await load("histogram.js");
const { changeList, changeSummary } = await load("changes.js");
const { kinds, labels, layers } = await load("forecast.js");
const { describeInput, describeObjections } = await load("gate-inputs.js");
const { dots, timelineItems } = await load("timeline.js");
const { deciding, explanationView } = await load("why.js");
const { matching } = await load("jump.js");
const { zoneSentence } = await load("days.js");
const { partial } = await load("store.js");
const { query, personPath } = await load("api.js");
const { position } = await load("day-strip.js");
const { ranges } = await load("ranges.js");
const { colours } = await load("yaml-colours.js");
const { troubles } = await load("troubles.js");
const { entryText } = await load("log.js");

/** The parts of the names of the words files. */
const parts = ["", "service-", "operator-", "health-", "why-", "settings-", "audit-"];
const setLanguage = async tag => { setBrowserLanguages([tag]); await words.setLanguage(); };

/** A node of a page, as far as `h` uses it. */
class FakeNode {
  children = [];
  attributes = {};
  constructor(name, text = "") { Object.assign(this, { name, text }); }
  appendChild(child) { this.children.push(child); }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener() {}
  get textContent() { return this.text + this.children.map(child => child.textContent).join(""); }
  /** The elements below this one that have an attribute. */
  all(attribute) {
    return this.children.flatMap(child =>
      [...attribute in child.attributes ? [child] : [], ...child.all(attribute)]);
  }
}
globalThis.Node = FakeNode;
Object.assign(globalThis.document, {
  createElement: name => new FakeNode(name),
  createTextNode: text => new FakeNode("#text", text),
});

/** Replaces special spaces, such as the narrow one before "AM", by a plain space. */
const plainSpaces = text => text.replace(/\s+/g, " ");

beforeEach(async () => {
  await setLanguage("en");
  times.setServiceTime("Mon, 02 Mar 2026 12:00:00 GMT");
});

test("every language has the same texts, with the same placeholders", async () => {
  const names = text => [...new Set([...text.matchAll(/\{(\w+)/g)].map(found => found[1]))].sort();
  for (const part of parts) {
    const { default: english } = await load(`words-${part}en.js`);
    for (const tag of Object.keys(words.languages)) {
      const { default: texts } = await load(`words-${part}${tag}.js`);
      assert.deepEqual(Object.keys(texts).sort(), Object.keys(english).sort(), `${part}${tag}`);
      for (const [key, text] of Object.entries(texts)) {
        assert.deepEqual(names(text), names(english[key]), `${tag} ${key}`);
      }
    }
  }
});

test("the first of the browser's languages that the console has is used", async () => {
  setBrowserLanguages(["fr", "ar-EG", "de"]);
  await words.setLanguage();
  assert.equal(words.language(), "ar");
  assert.equal(document.documentElement.dir, "rtl");
  await setLanguage("fr");
  assert.equal(words.language(), "en");
  assert.equal(document.documentElement.dir, "ltr");
});

test("T4: every language has texts for a zone that has lost its rules", async () => {
  const zoneFault = "no zone \"America/Vancouver\"";
  for (const tag of Object.keys(words.languages)) {
    await setLanguage(tag);
    const kept = { zone: "America/Vancouver", zoneIsDefault: false };
    const lost = zoneSentence({ ...kept, zoneFault }, false);
    assert.match(lost, /America\/Vancouver/, tag);
    assert.notEqual(lost, zoneSentence({ ...kept, zoneFault: null }, false), tag);
    const other = { zone: "UTC", zoneIsDefault: true };
    assert.match(zoneSentence({ ...other, zoneFault }, true), /UTC/, tag);
    assert.notEqual(
      zoneSentence({ ...other, zoneFault }, true), zoneSentence({ ...other }, true), tag);
  }
});

test("values are inserted into texts, and unknown names stay unchanged", () => {
  assert.equal(words.t("until", { at: "<b>" }), "until <b>");
  assert.equal(words.word("gate", "quiet_hours"), "Quiet hours");
  assert.equal(words.word("gate", "of_tomorrow"), "of tomorrow");
  assert.equal(words.hasText("gate.of_tomorrow"), false);
});

test("a number chooses the plural form of its language", async () => {
  const others = count => words.t("forecast.others", { count });
  assert.deepEqual([0, 1, 2].map(others),
    ["0 other categories", "1 other category", "2 other categories"]);
  await setLanguage("ar");
  assert.equal(others(1), "فئة أخرى");
  assert.equal(others(2), "فئتان أخريان");
  assert.match(others(3), / فئات أخرى$/);
  assert.match(others(11), / فئة أخرى$/);
  assert.doesNotMatch(others(100), /[#{}|]/);
});

test("a count that ends at 10,000 is shown as a lower bound", () => {
  const title = deadLetters => troubles({
    deadLetters, watchdog: [], lanes: [], outdatedSinks: [], setAside: [], catalogs: ["a"],
    dataWarnings: [], endingTokens: [],
  })[0].title;
  assert.equal(title(1), "1 dead letter");
  assert.equal(title(9_999), "9,999 dead letters");
  assert.equal(title(10_000), "10,000+ dead letters");
});

test("every placeholder with plural forms has the form \"other\"", async () => {
  for (const part of parts) {
    for (const tag of Object.keys(words.languages)) {
      const { default: texts } = await load(`words-${part}${tag}.js`);
      const known = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
      for (const [key, text] of Object.entries(texts)) {
        for (const [, forms] of text.matchAll(/\{\w+\|([^}]+)\}/g)) {
          const names = forms.split("|").map(form => form.split(":")[0]);
          assert.ok(names.includes("other"), `${tag} ${key}`);
          assert.ok(names.every(name => known.includes(name)), `${tag} ${key}: ${names}`);
        }
      }
    }
  }
});

test("a local time is shown unchanged, whatever the zone of the machine", () => {
  for (const zone of ["UTC", "America/Vancouver", "Asia/Riyadh", "Pacific/Kiritimati"]) {
    process.env.TZ = zone;
    assert.equal(plainSpaces(times.clock("2026-03-29 02:30")), "2:30 AM", zone);
    assert.equal(times.day("2026-03-02 23:59"), "Monday, March 2", zone);
    assert.equal(times.shortDay("2026-12-31"), "Dec 31", zone);
    assert.equal(times.dayName("2026-03-03", "2026-03-02"), "Tomorrow", zone);
    assert.equal(times.dayName("2026-11-01", "2026-10-31"), "Tomorrow", zone);
    assert.equal(times.dayName("2026-03-05", "2026-03-02"), "Thursday", zone);
    assert.equal(times.utc("2026-03-02T20:00:00.000Z"), "2026-03-02 20:00:00 UTC", zone);
  }
});

test("a date outside the service's current year shows its year", () => {
  assert.equal(plainSpaces(times.moment("2026-12-31 22:00")), "Thu, Dec 31, 10:00 PM");
  assert.equal(plainSpaces(times.moment("2027-01-01 22:00")), "Fri, Jan 1, 2027, 10:00 PM");
  assert.equal(times.day("2025-03-02"), "Sunday, March 2, 2025");
  assert.equal(times.shortDay("2027-01-01"), "Jan 1, 2027");
  assert.equal(times.moment("9909-12-08 21:00"), "further notice");
  times.setServiceTime("Fri, 01 Jan 2027 00:00:00 GMT");
  assert.equal(times.shortDay("2027-01-01"), "Jan 1");
  assert.match(times.now(), /^2027-01-01T00:00:/);
  times.setServiceTime(null);
  assert.match(times.now(), /^2027-01-01T00:00:/, "an answer without a date changes the clock");
});

test("the instants around a range of dates enclose them in every zone", () => {
  assert.deepEqual(times.instantRange({ from: "2026-03-02", to: "2026-03-02" }),
    { from: "2026-03-01T10:00:00.000Z", to: "2026-03-03T12:00:00.000Z" });
  assert.deepEqual(times.instantRange({ from: "", to: "" }), { from: "", to: "" });
});

test("H22: a distance from now is in the past or in the future", async () => {
  assert.equal(times.distance("2026-03-02T11:56:00.000Z"), "4 minutes ago");
  assert.equal(times.distance("2026-03-02T15:30:01.000Z"), "in 3 hours 30 minutes");
  assert.match(times.distance("2026-03-02T12:00:00.000Z"), /^[01] seconds? ago$/);
});

test("the parts of a coloured YAML line together are its text", () => {
  const lines = ["", "# a note", "a: 1", "  - key: \"x # y\"  # why", "title: Day 2: {more}",
    "'quoted': true", "- plain", "    text: it's 5 o'clock"];
  for (const line of lines) {
    assert.equal(colours(line).map(([, text]) => text).join(""), line);
  }
  assert.deepEqual(colours("a: 1 # b"),
    [["key", "a"], ["", ":"], ["", " "], ["value", "1"], ["", " "], ["comment", "# b"]]);
  assert.deepEqual(colours("- b: \"c\""),
    [["", "- "], ["key", "b"], ["", ":"], ["", " "], ["text", "\"c\""]]);
});

test("a trouble links to the page on which it is solved", async () => {
  await words.loadTexts("health");
  const status = { watchdog: [], catalogs: ["a"], dataWarnings: [], setAside: [],
    outdatedSinks: [], deadLetters: 2, reloadFailure: "x", endingTokens: [{ name: "b" }],
    lanes: [{ sink: "a/b", paused: true, waiting: 1, deadLetters: 2 }] };
  assert.deepEqual(troubles(status).map(one => [one.title.split(":")[0], one.link, one.paused]), [
    ["Reload rejected", "#/service", undefined], ["a/b is paused", "#/sinks/a%2Fb", "a/b"],
    ["2 dead letters at a/b", "#/dead", undefined], ["Token b expires", "#/access", undefined]]);
});

test("a span is shown in two units, rounded down", () => {
  const all = [[0, "0 seconds"], [1.9, "1 second"], [59, "59 seconds"], [60, "1 minute"],
    [119, "1 minute"], [3_600, "1 hour"], [5_220, "1 hour 27 minutes"], [5_400, "1 hour 30 minutes"],
    [7_200, "2 hours"], [86_399, "23 hours 59 minutes"], [86_400, "1 day"],
    [1_000_000, "11 days 13 hours"]];
  for (const [seconds, text] of all) assert.equal(times.span(seconds), text);
});

test("a quantile is shown as the upper bound of its part of the histogram", () => {
  const bounds = [0.005, 0.1, 1];
  assert.equal(quantile({ bounds, counts: [1, 0, 1, 0] }, 0.5), 0.005);
  assert.equal(quantile({ bounds, counts: [1, 0, 1, 0] }, 0.99), 1);
  assert.equal(quantile({ bounds, counts: [0, 0, 0, 2] }, 0.5), Infinity);
  assert.equal(shortDuration(0.005), "5ms");
  assert.equal(shortDuration(90), "1.5m");
  assert.equal(shortDuration(Infinity), "…");
});

test("a day with a clock change has the same width as other days", () => {
  const days = [["2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"]];
  for (const [start, end] of days) {
    assert.equal(position(start, { start, end }), 0);
    assert.equal(position(end, { start, end }), 100);
    const middle = new Date((Date.parse(start) + Date.parse(end)) / 2).toISOString();
    assert.equal(position(middle, { start, end }), 50);
    assert.equal(position("2020-01-01T00:00:00Z", { start, end }), 0);
    assert.equal(position("2030-01-01T00:00:00Z", { start, end }), 100);
  }
});

test("H22: an occurrence is one item, even if its channels have different outcomes", () => {
  const at = "2026-03-02T20:00:00Z";
  const entry = { id: "a~1", at, planned: at, outcome: "delivered", channels: ["push"] };
  const items = timelineItems([
    entry, { ...entry, channels: ["email", "push"] },
    { ...entry, outcome: "dropped", channels: ["sms"] },
    { ...entry, id: "b~1", planned: "2026-03-02T19:00:00Z" },
  ], new Set(["a~1"]));
  assert.deepEqual(items.map(one => one.parts.map(part => [part.state, part.channels])),
    [[["goes", ["push", "email"]], ["dropped", ["sms"]]], [["moved", ["push"]]]]);
  assert.deepEqual(items.map(one => one.state), ["goes", "moved"]);
  assert.deepEqual(items.map(one => one.isKnown), [true, false]);
  assert.deepEqual(dots(items).map(one => one.state), ["goes", "moved"]);
  assert.deepEqual(entry.channels, ["push"], "the input is changed");
});

test("H22: an item has the time of the first channel that is sent", () => {
  const planned = "2026-03-02T20:00:00Z";
  const later = "2026-03-03T06:00:00Z";
  const entry = { id: "a~1", at: planned, planned, outcome: "dropped", channels: ["sms"] };
  const [item] = timelineItems([
    entry, { ...entry, at: later, outcome: "delivered", channels: ["push"] },
    { ...entry, at: "2026-03-03T17:00:00Z", outcome: "delivered", channels: ["email"] }]);
  assert.deepEqual([item.at, item.state], [later, "moved"]);
  assert.deepEqual(item.parts.map(part => part.channels), [["push"], ["sms"], ["email"]]);
  const [dropped] = timelineItems([entry]);
  assert.deepEqual([dropped.state, dots([dropped]).length], ["dropped", 1]);
});

test("H22: the gates that decided are listed by strength, the strongest first", () => {
  const gate = (name, verdict, untilLocal = null) => ({ gate: name, verdict, untilLocal });
  const rounds = [
    { gates: [gate("master", "passes"), gate("quiet_hours", "holds", "2026-03-03 07:00")] },
    { gates: [gate("daily_cap", "silences"), gate("quiet_hours", "holds", "2026-03-03 07:00"),
      gate("expired", "drops")] }];
  assert.deepEqual(deciding(rounds).map(one => one.gate), ["expired", "quiet_hours", "daily_cap"]);
  assert.deepEqual(deciding([{ gates: [gate("master", "passes")] }]), []);
});

test("pages and people are found by a part of their titles", () => {
  const all = ["Dead letters", "Feed", "Log", "layla"].map(title => ({ title, address: title }));
  const titles = text => matching(all, text).map(one => one.title);
  assert.deepEqual(titles("L"), ["Log", "layla", "Dead letters"]);
  assert.deepEqual(titles(""), all.map(one => one.title));
  assert.deepEqual(titles("x"), []);
});

const category = (name, count) => ({ category: name, title: name.toLowerCase(), count });

test("up to six categories have patterns of their own; of more, the smallest share one", () => {
  const few = ["A", "B", "C", "D", "E", "F"].map((name, index) => category(name, 9 - index));
  assert.deepEqual(kinds(few).map(one => one.pattern), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(kinds(few).map(one => one.names), few.map(one => [one.category]));
  const many = kinds([...few, category("G", 3)]);
  assert.equal(many.length, 6);
  assert.deepEqual(many[5], {
    names: ["F", "G"], title: "2 other categories", count: 7, pattern: 5,
  });
  assert.deepEqual(kinds([]), []);
});

test("the layers of a bar are stacked and fill it", () => {
  const all = kinds([category("A", 9), category("B", 5), category("C", 1)]);
  assert.deepEqual(layers({ categories: { C: 1, A: 4 } }, all), [
    { pattern: 0, count: 4, below: 0 }, { pattern: 2, count: 1, below: 4 },
  ]);
  assert.deepEqual(layers({ categories: {} }, all), []);
});

test("the label of an hour is at the bar that begins with it", () => {
  const parts = from => Array.from({ length: 96 }, (_, index) => (
    { at: new Date(Date.parse(from) + index * 900_000).toISOString() }));
  const found = labels(parts("2026-03-02T02:15:00.000Z"));
  assert.deepEqual(found.map(one => one.text), ["04:00", "08:00", "12:00", "16:00", "20:00", "00:00"]);
  assert.equal(found[0].index, 7);
  assert.deepEqual(labels(parts("2026-03-02T04:00:00.000Z"))[0], { text: "04:00", index: 0 });
});

test("changes are counted by kind", () => {
  const changes = ["moved", "moved", "added"].map(change => ({ change }));
  assert.equal(changeSummary({ changes }), "Saved. moved: 2, added: 1");
  assert.equal(changeSummary({ changes: [] }), "Saved.");
});

test("a change names the entities of a shared date, each in its own direction", () => {
  const change = { change: "cancelled", title: "Dose", reasons: [], entities: ["Iron", "حديد"],
    beforeLocal: "2026-03-03 08:00", afterLocal: null };
  const [list] = changeList({ changes: [change, { ...change, entities: undefined }] });
  const [shared, other] = list.children.map(item => item.textContent);
  assert.match(shared, /no longer planned Dose Iron, حديد Tue/);
  assert.match(other, /no longer planned Dose Tue/);
  assert.doesNotMatch(other, /Iron|undefined/);
  assert.deepEqual(list.children[0].all("dir").map(name => name.textContent),
    ["Dose", "Iron", "حديد"]);
});

test("an explanation names the entities of a shared date and those that have ended", () => {
  const entry = { channels: ["push"], plannedLocal: "2026-03-03 08:00", local: "2026-03-03 08:00",
    outcome: "delivered", rounds: [], entities: ["Iron", "Zinc"], endedEntities: ["Folate"] };
  const paragraphs = ({ children }) =>
    children.filter(child => child.name === "p").map(child => child.textContent);
  assert.deepEqual(paragraphs(explanationView(entry)).slice(2),
    ["About Iron, Zinc", "Series cancelled for Folate"]);
  const plain = { ...entry, entities: undefined, endedEntities: undefined };
  assert.deepEqual(paragraphs(explanationView(plain)).slice(2), []);
});

test("a partial document has only the changed members", () => {
  assert.deepEqual(partial([]), {});
  assert.deepEqual(partial([
    { path: ["quietHours", "start"], value: "22:00" }, { path: ["master"], value: false },
    { path: ["quietHours", "days"], value: ["mon"] },
  ]), { quietHours: { start: "22:00", days: ["mon"] }, master: false });
});

test("a query string leaves out empty values and encodes the others", () => {
  assert.equal(query({}), "");
  assert.equal(query({ a: "", b: null, c: undefined, d: false }), "");
  const given = { zero: 0, text: "a+b &=#/ü", plain: "x y" };
  const read = new URL(`http://x/${query(given)}`).searchParams;
  for (const [name, value] of Object.entries(given)) assert.equal(read.get(name), String(value));
  assert.equal(query({ plain: "x y" }), "?plain=x%20y");
  assert.equal(personPath("a/b?c#d", "/ahead"), "/v1/recipients/a%2Fb%3Fc%23d/ahead");
});

test("consecutive numbers become one range", () => {
  const all = [[[], ""], [[3], "3"], [[3, 1, 2], "1–3"], [[0, 1, 2, 7, 9, 10], "0–2, 7, 9–10"]];
  for (const [numbers, text] of all) assert.equal(ranges(numbers), text);
});

test("the settings that hints name exist in the manual, in every language", async () => {
  const manual = await readFile(
    new URL("../../../config/manual/chimed.yaml.5", import.meta.url), "utf8");
  const named = {
    sinks: ["sinks", "routes"], catalogs: ["catalogs"], data: ["holidays", "days-off"],
    behind: ["rate", "concurrency", "deadline"], differingLeases: ["fleet"], sharedNames: ["fleet"],
  };
  for (const tag of Object.keys(words.languages)) {
    const { default: texts } = await load(`words-health-${tag}.js`);
    for (const [trouble, keys] of Object.entries(named)) {
      for (const key of keys) {
        assert.ok(texts[`trouble.${trouble}.hint`].includes(key), `${tag} ${trouble}: ${key}`);
        assert.match(manual, new RegExp(`^\\.It Cm ${key}$`, "m"));
      }
    }
  }
});

test("the overview reports the same troubles as chimectl", async () => {
  await words.loadTexts("health");
  const lane = { sink: "log", breaker: "closed", waiting: 0 };
  const well = { watchdog: [{ part: "engine", vital: true, age: 6.6, allowance: 10 },
    { part: "log", vital: false, age: 10, allowance: 10 }], lanes: [lane], catalogs: ["rooms"],
  dataWarnings: [], setAside: [], endingTokens: [], outdatedSinks: [],
  now: "2026-03-02T20:01:00.000Z" };
  const shown = more => troubles({ ...well, ...more }).map(one => [one.title, one.isBad]);
  assert.deepEqual(shown({}), []);
  assert.deepEqual(shown({ dataWarnings: ["a ends", "b is old"] }),
    [["Planning data is outdated or ends soon: a ends; b is old", false]]);
  assert.deepEqual(shown({ clockLeap: "2027-03-02T20:00:00.000Z" }),
    [["Clock has jumped ahead to 2027-03-02 20:00:00 UTC; not trusted yet", true]]);
  assert.deepEqual(shown({ clockHold: "2027-03-02T20:00:00.000Z" }),
    [["Clock is behind the newest record (2027-03-02 20:00:00 UTC)", true]]);
  assert.deepEqual(shown({ watchdog: well.watchdog.map(part => ({ ...part, age: 10.1 })) }),
    [["engine is stalled", true], ["log responds slowly", false]]);
  assert.deepEqual(shown({ lanes: [{ ...lane, waiting: 3, oldestWaiting: well.now }] }), []);
  assert.deepEqual(shown({ lanes: [{ ...lane, waiting: 3,
    oldestWaiting: "2026-03-02T19:59:59.000Z" }] }), [["log is behind: 3 waiting", false]]);
  assert.deepEqual(shown({ lanes: [{ ...lane, failure: "disabled: 410: it is gone for good" }] }),
    [["log is down: disabled: 410: it is gone for good", true]]);
  // Only a reload creates such a sink again (rule S9).
  const [away] = troubles({ ...well, lanes: [{ ...lane, breaker: "open", unavailable: true,
    failure: "its secret is missing" }] });
  assert.deepEqual([away.title, away.isBad], ["log is down: its secret is missing", true]);
  assert.match(away.hint, /reload/);
  assert.doesNotMatch(away.hint, /Next attempt/);
  assert.deepEqual(shown({ outdatedSinks: ["the sink a continues", "the sink b continues"] }),
    [["Reload incomplete: the sink a continues; the sink b continues", false]]);
  assert.deepEqual(shown({ setAside: ["a", "b"] }),
    [["An old store is still on disk: a, b", false]]);
  assert.deepEqual(shown({ endingTokens: [
    { name: "backend", expires: "2026-03-09T20:01:00.000Z" }] }),
    [["Token backend expires: 2026-03-09 20:01:00 UTC", false]]);
  const ended = { name: "backend", expires: "2026-03-01T20:01:00.000Z", expired: true };
  assert.deepEqual(shown({ endingTokens: [ended] }),
    [["Token backend has expired: 2026-03-01 20:01:00 UTC", false]]);
  for (const token of [ended, { ...ended, expired: false }]) {
    const [{ hint }] = troubles({ ...well, endingTokens: [{ ...token, successor: "chimectl x" }] });
    assert.equal(hint,
      "Create its successor: chimectl x. Give it to the app, then revoke this token.");
  }
  const fleet = { nodes: 2, silent: 0, gone: 0, draining: 0, shards: 32, own: 16, free: 0,
    takers: 2, differences: [], skewed: false, trusted: true, differingLeases: [], skewedNodes: [],
    sharedNames: [] };
  assert.deepEqual(shown({ fleet }), []);
  for (const [key, title] of [["differingLeases", "north, west: the lease differs"],
    ["skewedNodes", "north, west: the clock is wrong by 2 s or more"],
    ["sharedNames", "north, west: several nodes have this name"]]) {
    const [one, ...others] = troubles({ ...well, fleet: { ...fleet, [key]: ["north", "west"] } });
    assert.deepEqual([one.title, one.isBad, one.link, others], [title, false, "#/fleet", []]);
  }
  for (const takers of [0, 1]) {
    assert.deepEqual(shown({ fleet: { ...fleet, free: 1, takers } }),
      [["1 of 32 shards has no owner", !takers]]);
  }
  assert.deepEqual(shown({ fleet: { ...fleet, differences: ["zones", "catalogs"] } }),
    [["Nodes differ in tz database, catalogs", false]]);
  assert.deepEqual(shown({ lanes: [], catalogs: [] }),
    [["No sink is configured", false], ["No catalog is configured", false]]);
});

test("H5: a change in the audit log is shown as a sentence in the reader's language", async () => {
  const entry = { message: "user 0 performed erase for u1: by an event", actor: "user 0",
    action: "erase", recipient: "u1", subject: "by an event" };
  assert.equal(entryText(entry), entry.message, "the texts are not loaded yet");
  await words.loadTexts("audit");
  assert.equal(entryText(entry), "root erased all data of u1: by an event");
  const actor = "token a1 \"console of user 0\"";
  const pause = { actor, action: "pauseSink", recipient: null, subject: "mail" };
  assert.equal(entryText({ ...entry, ...pause }),
    "root paused a sink: mail");
  assert.equal(entryText({ ...entry, ...pause, actor: "token a1 \"backend\"" }),
    "token a1 \"backend\" paused a sink: mail");
  assert.equal(entryText({ ...entry, actor: "user 1000", action: "openConsole", subject: null }),
    "user 1000 opened the console");
  assert.equal(entryText({ ...entry, action: "of_tomorrow" }), entry.message);
  assert.equal(entryText({ message: "a reminder is due" }), "a reminder is due");
});

test("every sentence of the audit log is for an operation of the API", async () => {
  const folders = ["OpenAPI/Operations", "Apps"].map(name =>
    new URL(`../../../Sources/API/${name}/`, import.meta.url));
  const files = await Promise.all(folders.map(async folder =>
    (await Promise.all((await readdir(folder)).map(name =>
      readFile(new URL(name, folder), "utf8")))).join("")));
  const operations = new Set([...files.join("").matchAll(/identifier: "(\w+)"/g)]
    .map(found => found[1]));
  const { default: texts } = await load("words-audit-en.js");
  for (const key of Object.keys(texts)) assert.ok(operations.has(key.slice(7)), key);
});

test("the input of a gate is described by the text of its kind", async () => {
  await words.loadTexts("why");
  const parameters = { start: "22:00", end: "07:00", days: ["mon", "tue"], exemption: "critical" };
  assert.equal(plainSpaces(describeInput({ kind: "quiet_hours", parameters }) ?? ""),
    "quiet hours from 10:00 PM to 7:00 AM, on Mon, Tue, critical notifications pass");
  assert.equal(describeInput({ kind: "gate", parameters: { gate: "bundling" } }), "Digest");
  const week = { cap: 3, sent: 3, since: "2026-03-01", categories: ["TIPS"] };
  assert.match(plainSpaces(describeInput({ kind: "policy_cap_week", parameters: week }) ?? ""),
    /^operator's cap of 3 in seven days, 3 sent since .*Mar 1$/);
  assert.equal(describeInput({ kind: "of_tomorrow", parameters: {} }), undefined);
  const without = { local: "2026-03-02 21:00", objections: [
    { kind: "rest", parameters: {} }, { kind: "quiet_hours", parameters: {
      start: "21:00", end: "08:00" } }] };
  assert.equal(plainSpaces(describeObjections({ without })),
    "Would be sent on Mon, Mar 2, 9:00 PM without: "
      + "day off and quiet hours from 9:00 PM to 8:00 AM.");
  assert.match(describeObjections({ without, notification: "x" }), /^Would have been sent on /);
  without.objections.push({ kind: "of_tomorrow", parameters: {} });
  assert.equal(describeObjections({ without }), undefined);
});

/** A minimal substitute for the DOM's nodes. */
class Node {
  constructor(text = "") { this.children = []; this.text = text; }
  get textContent() { return this.text + this.children.map(one => one.textContent).join(""); }
  appendChild(child) { this.children.push(child); }
  replaceChildren() { this.children = []; }
  contains() { return false; }
  setAttribute() {}
  addEventListener() {}
}

/** Returns a catalog editor whose requests are answered by a function for each path.
 * @param {Record<string, () => [status: number, body: any]>} answers */
async function catalogEditor(answers, testing) {
  Object.assign(globalThis, { Node });
  Object.assign(document, { createElement: () => new Node(),
    createTextNode: text => new Node(text) });
  globalThis.sessionStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  testing.mock.method(globalThis, "fetch", async path => {
    const [status, body] = answers[path]();
    return new Response(JSON.stringify(body), { status });
  });
  const { CatalogEditor } = await load("catalogs.js");
  return new CatalogEditor([{ name: "rooms" }], [], { name: "rooms", source: "a: 1" });
}

const tooManyRequests = [429, { title: "Too many requests" }];

test("a catalog check that exceeds the rate limit is reported and repeated", async testing => {
  testing.mock.timers.enable({ apis: ["setTimeout"] });
  await words.loadTexts("operator");
  let answer = [200, { problems: [], sound: true }];
  const editor = await catalogEditor({
    "/v1/catalog-checks": () => answer, "/v1/simulate": () => tooManyRequests,
    "/v1/catalog-messages": () => tooManyRequests, "/v1/catalog-trials": () => tooManyRequests,
  }, testing);
  const runs = testing.mock.method(editor, "checkText");
  await editor.checkText();
  assert.match(editor.month.textContent, /Too many requests/);
  assert.equal(editor.problems.textContent, `● ${words.t("catalog.sound")}`);
  answer = tooManyRequests;
  editor.text = "b: 2";
  testing.mock.timers.tick(1_999);
  assert.equal(runs.mock.callCount(), 1);
  testing.mock.timers.tick(1);
  await runs.mock.calls[1].result;
  assert.equal(editor.problems.textContent, "", "an earlier text was valid");
  answer = [200, { problems: [], sound: false }];
  testing.mock.timers.tick(2_000);
  await runs.mock.calls[2].result;
  assert.equal(editor.problems.textContent, `● ${words.t("catalog.sound")}`);
  testing.mock.timers.tick(2_000);
  assert.equal(runs.mock.callCount(), 3);
});

test("a refused event of the sample person is named by its type", async testing => {
  const editor = await catalogEditor({}, testing);
  editor.persona.events = [{ type: "lesson.completed", data: {}, day: 1 }];
  const earliest = times.now();
  const [first, , last] = editor.sampleEvents();
  assert.equal(first.id, "recipient.updated-1");
  assert.ok(earliest <= first.time && first.time <= times.now());
  assert.equal(last.id, "lesson.completed-3");
  const shown = new Node();
  const refusal = { id: last.id, problem: { detail: "data.day is missing" } };
  for (const one of editor.draw({ timeline: [], refused: [refusal] }).flat()) {
    if (one) shown.appendChild(one);
  }
  assert.match(shown.textContent, /lesson\.completed-3: data\.day is missing/);
});
