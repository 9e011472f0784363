// The catalog editor, with the next days of a sample person. The user downloads the changed text;
// the editor does not apply it.

import { get, post } from "./api.js";
import { list, strips } from "./day-list.js";
import { autoText, h, show } from "./dom.js";
import { card, select } from "./parts.js";
import { button, download, empty, errorNotice, liveView } from "./states.js";
import { timelineItems } from "./timeline.js";
import { now } from "./times.js";
import { t } from "./words.js";
import { colours } from "./yaml-colours.js";

const CHECK_DELAY = 300;
const DAYS = 31;
const sampleData = { "lesson.completed": { day: 1 }, "milestone.reached": { days: 7 } };
const defaultPersona = { zone: "Europe/Berlin", locale: "en", quiet: "", until: "07:00" };

/** @param {HTMLElement} root
 * @param {string[]} rest */
export default async function catalogs(root, [name]) {
  await liveView(root, async () => {
    const [answer, catalog] = await Promise.all([get("/v1/catalogs"), get("/v1/catalog")]);
    const chosen = name ?? answer.catalogs[0].name;
    const file = await get(`/v1/catalogs/${encodeURIComponent(chosen)}`);
    return new CatalogEditor(answer.catalogs, catalog.events, file);
  }, editor => editor.view());
}

/** @param {string} text */
const colouredLine = text => h("span", null,
  colours(text).map(([kind, part]) => kind ? h("b", { class: kind }, part) : part), "\n");

/** A catalog's text and a sample person, with the simulation of both. */
export class CatalogEditor {
  constructor(all, types, { name, source }) {
    this.all = all;
    this.types = types;
    this.name = name;
    this.source = source;
    this.key = `chimed.catalog ${name}`;
    this.text = sessionStorage.getItem(this.key) ?? this.source;
    const stored = sessionStorage.getItem("chimed.persona");
    this.persona = stored ? JSON.parse(stored) : {
      ...defaultPersona, events: this.types.includes("streak.started")
        ? [{ type: "streak.started", day: 0, data: {} }] : [],
    };
    /** @type {any} */ this.timer = null;
    // The number of the latest check; results of earlier checks are not shown.
    this.check = 0;
    this.problems = h("div", { "aria-live": "polite" });
    this.month = h("div", { class: "page", "aria-live": "polite" });
    this.trial = h("div", { "aria-live": "polite" });
    this.messages = h("div");
    this.events = h("ul", { class: "plain" });
  }

  view() {
    this.scheduleCheck(0);
    return [h("h1", null, t("catalogs"), " ", autoText(this.name)),
      this.all.length > 1 && h("nav", { class: "parts", "aria-label": t("catalogs") },
        this.all.map(({ name }) => h("a", {
          href: `#/catalogs/${encodeURIComponent(name)}`,
          "aria-current": name === this.name ? "page" : null,
        }, name))),
      h("div", { class: "two even" }, card(null, this.editor()), card(t("persona"), this.form())),
      this.trial, this.month, this.messages];
  }

  editor() {
    // The coloured lines are behind the text area, whose text is transparent.
    const lines = h("pre", { "aria-hidden": "true" });
    const draw = () => {
      const texts = area.value.split("\n");
      texts.forEach((text, index) => {
        const old = lines.children[index];
        if (!old) lines.append(colouredLine(text));
        else if (old.textContent !== `${text}\n`) old.replaceWith(colouredLine(text));
      });
      while (lines.children.length > texts.length) lines.lastElementChild.remove();
    };
    const area = h("textarea", {
      id: "source", spellcheck: "false", dir: "ltr", ".value": this.text,
      oninput: () => {
        this.text = area.value;
        if (this.text === this.source) sessionStorage.removeItem(this.key);
        else sessionStorage.setItem(this.key, this.text);
        draw();
        this.scheduleCheck();
      },
    });
    this.lines = lines;
    this.area = area;
    draw();
    return [
      h("label", { for: "source" }, t("catalog.text")),
      h("div", { class: "source", tabindex: -1 }, lines, area), this.problems,
      h("div", { class: "actions" },
        button(t("catalog.download"), () =>
          download(this.text, "application/yaml", `${this.name}.yaml`)),
        button(t("discard"), () => {
          area.value = this.source;
          area.dispatchEvent(new Event("input"));
        })),
    ];
  }

  form() {
    const field = (key, type) => h("label", null, t(`persona.${key}`), h("input", {
      type, value: this.persona[key],
      onchange: event => { this.persona[key] = event.target.value.trim(); this.changed(); },
    }));
    const type = select({ "aria-label": t("persona.event") }, this.types);
    this.drawEvents();
    return [h("div", { class: "filters" }, field("zone"), field("locale"),
      field("quiet", "time"), field("until", "time")),
    this.events, h("div", { class: "actions" }, type, button(t("persona.add"), () => {
      this.persona.events.push({ type: type.value, day: 1, data: sampleData[type.value] ?? {} });
      this.drawEvents();
      this.changed();
    }))];
  }

  drawEvents() {
    const persona = this.persona;
    show(this.events, persona.events.map((sample, index) => h("li", { class: "row" },
      h("span", null, sample.type),
      h("label", null, t("persona.day"), " ", h("input", {
        type: "number", min: 0, max: DAYS, value: sample.day, onchange: event => {
          sample.day = Number(event.target.value);
          this.changed();
        },
      })),
      h("input", {
        "aria-label": `${t("persona.data")}: ${sample.type}`, dir: "ltr",
        value: JSON.stringify(sample.data), onchange: ({ target }) => this.readData(target, sample),
      }),
      button("✕", () => {
        persona.events.splice(index, 1);
        this.drawEvents();
        this.changed();
      }, "plain close", t("remove")))));
  }

  readData(field, sample) {
    try {
      sample.data = JSON.parse(field.value || "{}");
      field.setCustomValidity("");
      this.changed();
    } catch (error) {
      field.setCustomValidity(String(error));
      field.reportValidity();
    }
  }

  changed() {
    sessionStorage.setItem("chimed.persona", JSON.stringify(this.persona));
    this.scheduleCheck();
  }

  scheduleCheck(delay = CHECK_DELAY) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.checkText(), delay);
  }

  /** Checks the text. If it is valid, shows its effects. */
  async checkText() {
    const name = this.name;
    const text = { name, source: this.text };
    const draft = this.text === this.source ? null : text;
    const check = ++this.check;
    let result;
    try {
      result = await post("/v1/catalog-checks", text);
      if (check !== this.check) return;
      show(this.problems, this.problemList(result.problems));
      if (!result.sound) return;
      const [month, previews, trial, { catalogTrial }, { messages }] = await Promise.all([
        post("/v1/simulate", { ...draft, days: DAYS, events: this.sampleEvents() }),
        post("/v1/catalog-messages", { ...draft, name }),
        draft && post("/v1/catalog-trials", draft),
        import("./catalog-trial.js"), import("./catalog-messages.js"),
      ]);
      if (check !== this.check) return;
      show(this.trial, catalogTrial(trial));
      show(this.month, this.draw(month));
      show(this.messages, messages(previews));
    } catch (/** @type {any} */ error) {
      if (check !== this.check) return;
      if (!result) show(this.problems);
      show(this.month, errorNotice(error, () => this.checkText()));
      // The rate limit counts the requests of other tabs, too.
      if (error.status === 429) this.scheduleCheck(2_000);
    }
  }

  /** The sample person's events; day 0 begins now. */
  sampleEvents() {
    const start = Date.parse(now());
    const { zone, locale, quiet, until, events } = this.persona;
    const hours = { enabled: Boolean(quiet), ...quiet && { start: quiet, end: until } };
    return [{ type: "recipient.updated", data: { timezone: zone, locale } },
      { type: "preferences.updated", data: { quietHours: hours } },
      ...events].map(({ type, data, day = 0 }, index) => ({
      specversion: "1.0", id: `${type}-${index + 1}`, source: "console", subject: "persona",
      type, data, time: new Date(start + day * 86_400_000 + index).toISOString(),
    }));
  }

  problemList(problems) {
    if (!problems.length) return h("p", { class: "goes" }, "● ", t("catalog.sound"));
    return h("ul", { class: "plain" }, problems.map(({ line, message }) => h("li", null,
      button(t("catalog.line", { line }), () => this.selectLine(line), "plain"), " ",
      h("span", { class: "bad" }, "✕ "), autoText(message))));
  }

  selectLine(number) {
    const lines = this.text.split("\n");
    const start = lines.slice(0, number - 1).map(line => line + "\n").join("").length;
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
    this.lines.children[number - 1]?.scrollIntoView({ block: "center" });
  }

  draw(month) {
    const items = timelineItems(month.timeline.map(entry => ({
      ...entry, id: entry.reminder + entry.planned, channels: [entry.channel],
    })));
    const days = { ...month, items, now: month.from };
    return [month.refused.length > 0 && h("ul", { class: "notice bad" },
      month.refused.map(({ id, problem }) =>
        h("li", null, autoText(`${id}: ${problem.detail}`)))),
    items.length ? [strips(days, DAYS), list(items)] : card(null, empty(t("days.empty")))];
  }
}
