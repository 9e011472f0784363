// A person's settings: UrbanNest's screen where that app's catalog is loaded, and all there are.

import { get, of, Problem, query } from "./api.js";
import { brief, changes, compared } from "./changes.js";
import { button, h, show } from "./dom.js";
import { fields } from "./preferences.js";
import { isPerson } from "./session.js";
import { complain, live, toast, trouble } from "./states.js";
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
    // Counts what was to be explained, so that the answer for a draft before this one is not shown.
    this.turn = 0;
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
   * @param {string[]} path
   * @param {any} value
   */
  async save(path, value) {
    const before = this.store.stored(path);
    try {
      const done = await this.store.write([{ path, value }]);
      await this.refresh();
      toast(brief(done), { label: t("undo"), act: () => this.save(path, before ?? null) });
    } catch (error) {
      if (error instanceof Problem && error.status === 412) await this.refresh();
      this.draw();
      complain(error);
    }
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

  async explain() {
    if (isPerson()) return;
    clearTimeout(this.timer);
    const mine = ++this.turn;
    const told = await this.told();
    if (mine === this.turn) show(this.aside, h("h2", null, t("changes")), ...told);
  }

  /** What the draft would change. */
  async told() {
    if (!this.store.draft.length) return [h("p", { class: "soft" }, t("changes.hint"))];
    try {
      const [trial, days] = await Promise.all([this.store.trial(), this.store.days()]);
      return [changes(trial), compared(days), this.buttons()];
    } catch (error) {
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

  async apply() {
    try {
      const done = await this.store.write(this.store.draft);
      this.store.discard();
      await this.refresh();
      toast(brief(done));
    } catch (error) {
      if (error instanceof Problem && error.status === 412) await this.refresh();
      complain(error);
    }
  }
}
