// A person's settings: a form of all settings, and the form of the app UrbanNest if its catalog is
// loaded.

import { get, personPath, Problem, query } from "./api.js";
import { changeList, changeSummary, dayComparison } from "./changes.js";
import { h, show } from "./dom.js";
import { soft } from "./parts.js";
import { isPerson } from "./session.js";
import {
  button, errorNotice, isUnreachable, liveView, showError, throwUnreachable, toast,
} from "./states.js";
import { Store } from "./store.js";
import { language, t } from "./words.js";

const TRIAL_DELAY = 250;

/** The forms, loaded when they are opened. */
const forms = {
  own: () => import("./preferences.js").catch(throwUnreachable),
  urbannest: () => import("./urbannest.js").catch(throwUnreachable),
};

/** @param {HTMLElement} root */
export async function settings(root, person) {
  const load = async () => {
    const [profile, schema, presets] = await Promise.all([
      get(personPath(person, "")),
      get(personPath(person, `/preferences/schema${query({ language: language() })}`)),
      get(personPath(person, "/preferences/presets")),
    ]);
    const isUrbanNest = "BOOKING_UPDATES" in schema.properties.categories.properties;
    const chosen = isUrbanNest && sessionStorage.getItem("chimed.form") !== "own"
      ? "urbannest" : "own";
    const store = new Store(person, chosen);
    const [form] = await Promise.all([forms[chosen](), store.load()]);
    return { profile, schema, presets, isUrbanNest, store, person, ...form };
  };
  await liveView(root, load, all => new Editor(all, () => settings(root, person)).view());
}

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
    this.form = h("div", { class: "form" });
    this.index = all.makeIndex?.(this.form);
    this.aside = h("aside", { class: "card", "aria-label": t("changes"), "aria-live": "polite" });
    /** @type {any} */ this.timer = null;
    this.effects = h("div");
    show(this.aside, h("h2", null, t("changes")), this.effects);
    /** The last write. Writes run one after the other. */
    this.writes = Promise.resolve();
    this.pendingWrites = 0;
  }

  view() {
    this.draw();
    return [
      this.all.isUrbanNest && this.choice(), this.index?.element,
      isPerson() ? this.form : h("div", { class: "two" }, this.form, this.aside),
    ];
  }

  /** The switch between the forms. */
  choice() {
    return h("div", { class: "parts", role: "group", "aria-label": t("forms") },
      ["urbannest", "own"].map(form => {
        const element = button(t(`form.${form}`), () => {
          sessionStorage.setItem("chimed.form", form);
          this.reload();
        });
        element.setAttribute("aria-pressed", String(form === this.store.form));
        return element;
      }));
  }

  draw() {
    const edit = (/** @type {string[]} */ path, value) =>
      isPerson() ? this.save(path, value) : this.addToDraft(path, value);
    show(this.form, this.all.fields(this.store, this.all, edit, this.reload));
    this.index?.update();
    this.explain();
  }

  // A change by the person is saved immediately and can be undone.

  /**
   * Saves a change after the previous writes, because each write needs the version that the
   * previous one returned. Only the last write redraws the form, whose controls already show the
   * new values.
   * @param {string[]} path
   * @param {any} value
   */
  async save(path, value) {
    this.pendingWrites++;
    this.writes = this.writes.then(() => this.put(path, value));
    await this.writes;
  }

  /**
   * @param {string[]} path
   * @param {any} value
   */
  async put(path, value) {
    const oldValue = this.store.stored(path);
    let report;
    try {
      const effects = await this.store.write([{ path, value }]);
      await this.store.load();
      report = () => toast(changeSummary(effects), {
        label: t("undo"), act: () => this.save(path, oldValue ?? null),
      });
    } catch (error) {
      if (isOutdated(error)) await this.store.load().catch(() => null);
      report = () => showError(error);
    }
    if (!--this.pendingWrites) this.draw();
    report();
  }

  async refresh() {
    await this.store.load();
    this.draw();
  }

  // Other users change a draft, see its effects and apply it.

  /**
   * @param {string[]} path
   * @param {any} value
   */
  addToDraft(path, value) {
    this.store.addToDraft(path, value);
    this.scheduleExplain();
  }

  scheduleExplain() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.explain(), TRIAL_DELAY);
  }

  /** Shows the effects of the draft; a later call cancels this one. */
  async explain() {
    if (isPerson()) return;
    clearTimeout(this.timer);
    await liveView(this.effects, () => this.draftEffects(), content => content);
  }

  async draftEffects() {
    if (!this.store.draft.length) return soft(t("changes.hint"));
    try {
      const [trial, days] = await Promise.all([this.store.trial(), this.store.days()]);
      return [changeList(trial), dayComparison(days), this.buttons()];
    } catch (error) {
      // liveView retries while the service is unreachable; a refusal stays until the draft changes.
      if (isUnreachable(error)) throw error;
      return [errorNotice(error), button(t("discard"), () => this.discard())];
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

  /** Applies the draft. Does nothing while a previous call runs, because a redrawn panel has a new
   * button. */
  async apply() {
    if (this.store.pending.length) return;
    try {
      const effects = await this.store.apply();
      this.draw();
      toast(changeSummary(effects));
    } catch (error) {
      if (isOutdated(error)) await this.refresh().catch(() => null);
      showError(error);
    }
  }
}

/** Whether another client has changed the preferences since they were loaded. */
const isOutdated = error => error instanceof Problem && error.status === 412;
