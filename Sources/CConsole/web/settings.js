// A person's settings: UrbanNest's screen where that app's catalog is loaded, and all there are.

import { get, of, Problem, query } from "./api.js";
import { brief, changes, compared } from "./changes.js";
import { h, show } from "./dom.js";
import { soft } from "./parts.js";
import { fields } from "./preferences.js";
import { isPerson } from "./session.js";
import { button, complain, isAway, live, toast, trouble } from "./states.js";
import { Store } from "./store.js";
import { screen } from "./urbannest.js";
import { language, t } from "./words.js";

const TRIAL_AFTER = 250;

/** @param {HTMLElement} place */
export async function settings(place, person) {
  const load = async () => {
    const [profile, schema, presets] = await Promise.all([
      get(of(person, "")), get(of(person, `/preferences/schema${query({ language: language() })}`)),
      get(of(person, "/preferences/presets")),
    ]);
    const isUrbanNest = "BOOKING_UPDATES" in schema.properties.categories.properties;
    const chosen = isUrbanNest && sessionStorage.getItem("chimed.form") !== "own"
      ? "urbannest" : "own";
    const store = new Store(person, chosen);
    await store.load();
    return { profile, schema, presets, isUrbanNest, store, person };
  };
  await live(place, load, all => new Editor(all, () => settings(place, person)).view());
}

/** Shows the settings and does what is changed in them. */
class Editor {
  /**
   * @param {any} all
   * @param {() => void} reload
   */
  constructor(all, reload) {
    Object.assign(this, all);
    /** @type {any} */ this.all = all;
    /** @type {Store} */ this.store = all.store;
    this.reload = reload;
    this.form = h("div", { class: "page" });
    this.aside = h("aside", { class: "card", "aria-label": t("changes"), "aria-live": "polite" });
    /** @type {any} */ this.timer = null;
    this.explained = h("div");
    show(this.aside, h("h2", null, t("changes")), this.explained);
    /** The writes so far, and how many of them are not done. */
    this.writes = Promise.resolve();
    this.open = 0;
  }

  view() {
    this.draw();
    return [
      this.all.isUrbanNest && this.choice(),
      isPerson() ? this.form : h("div", { class: "two" }, this.form, this.aside),
    ];
  }

  /** Between the forms. */
  choice() {
    return h("div", { class: "parts", role: "group", "aria-label": t("forms") },
      ["urbannest", "own"].map(form => {
        const one = button(t(`form.${form}`), () => {
          sessionStorage.setItem("chimed.form", form);
          this.reload();
        });
        one.setAttribute("aria-pressed", String(form === this.store.form));
        return one;
      }));
  }

  draw() {
    const edit = (/** @type {string[]} */ path, value) =>
      isPerson() ? this.save(path, value) : this.collect(path, value);
    show(this.form, this.store.form === "urbannest"
      ? screen(this.store, this.all.profile, edit)
      : fields(this.store, this.all, edit, this.reload));
    this.explain();
  }

  // What one's own switch does: it is saved at once, and can be taken back.

  /**
   * One after the other, for each goes by the version that the one before has made. What is shown
   * stays until the last is done: the others are set as they will be.
   * @param {string[]} path
   * @param {any} value
   */
  async save(path, value) {
    this.open++;
    this.writes = this.writes.then(() => this.put(path, value));
    await this.writes;
  }

  /**
   * @param {string[]} path
   * @param {any} value
   */
  async put(path, value) {
    const before = this.store.stored(path);
    let say;
    try {
      const done = await this.store.write([{ path, value }]);
      await this.store.load();
      say = () => toast(brief(done), {
        label: t("undo"), act: () => this.save(path, before ?? null),
      });
    } catch (error) {
      if (isOutdated(error)) await this.store.load().catch(() => null);
      say = () => complain(error);
    }
    if (!--this.open) this.draw();
    say();
  }

  async refresh() {
    await this.store.load();
    this.draw();
  }

  // What others do: a draft, what it would change, and then the deed.

  /**
   * @param {string[]} path
   * @param {any} value
   */
  collect(path, value) {
    this.store.collect(path, value);
    this.tryOut();
  }

  tryOut() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.explain(), TRIAL_AFTER);
  }

  /** Says what the draft would change; the answer for a draft before this one is not shown. */
  async explain() {
    if (isPerson()) return;
    clearTimeout(this.timer);
    await live(this.explained, () => this.told(), told => told);
  }

  async told() {
    if (!this.store.draft.length) return soft(t("changes.hint"));
    try {
      const [trial, days] = await Promise.all([this.store.trial(), this.store.days()]);
      return [changes(trial), compared(days), this.buttons()];
    } catch (error) {
      // What is out of reach is tried again; what is refused is so until the draft is another.
      if (isAway(error)) throw error;
      return [trouble(error), button(t("discard"), () => this.discard())];
    }
  }

  buttons() {
    return h("div", { class: "actions" },
      button(t("apply"), () => this.apply(), "main"),
      button(t("discard"), () => this.discard()));
  }

  discard() {
    this.store.discard();
    this.draw();
  }

  /** Once, also for who presses it again on a panel that is drawn anew meanwhile. */
  async apply() {
    if (this.store.sent.length) return;
    try {
      const done = await this.store.apply();
      this.draw();
      toast(brief(done));
    } catch (error) {
      if (isOutdated(error)) await this.refresh().catch(() => null);
      complain(error);
    }
  }
}

/** Whether somebody else has written since it was read. */
const isOutdated = error => error instanceof Problem && error.status === 412;
