// A person's preferences while they are edited. A change by the person is saved immediately; other
// users change a draft, see its effects and apply it.

import { personPath, query, request } from "./api.js";
import { isPerson } from "./session.js";

/**
 * @typedef {{value: any, path: string[]}} Change
 */
export class Store {
  /**
   * @param {string} person
   * @param {"own"|"urbannest"} form
   */
  constructor(person, form) {
    this.form = form;
    this.path = personPath(person, "/preferences");
    this.key = `chimed.draft ${form} ${person}`;
    /** @type {any} */ this.body = {};
    /** @type {string|null} */ this.version = null;
    // A person has no draft; a draft in this tab is by another user.
    /** @type {Change[]} */ this.draft = isPerson() ? []
      : JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    /** The changes that are being written.
     * @type {Change[]} */ this.pending = [];
  }

  async load() {
    const { body, version } = await request(this.path + query({ form: this.form }));
    this.body = body;
    this.version = version;
  }

  /** The value of a setting in the draft; if there is none, the stored value.
   * @param {string[]} path */
  value(path) {
    const name = path.join("\n");
    const change = this.draft.find(change => change.path.join("\n") === name);
    return change ? change.value : this.stored(path);
  }

  /** @param {string[]} path */
  stored(path) {
    return path.reduce((value, name) => value?.[name], this.body);
  }

  /**
   * @param {string[]} path
   * @param {any} value
   */
  addToDraft(path, value) {
    const name = path.join("\n");
    this.draft = this.draft.filter(change => change.path.join("\n") !== name);
    this.draft.push({ path, value });
    // During a write, the draft must also keep a change back to the stored value.
    if (!this.pending.length) this.prune();
    this.saveDraft();
  }

  /** Removes the changes that equal the stored values. */
  prune() {
    this.draft = this.draft.filter(({ path, value }) =>
      JSON.stringify(this.stored(path)) !== JSON.stringify(value));
  }

  /** Writes the draft. Changes that the user makes in the meantime stay in the draft. */
  async apply() {
    this.pending = this.draft;
    try {
      const effects = await this.write(this.pending);
      await this.load();
      this.draft = this.draft.filter(change => !this.pending.includes(change));
      return effects;
    } finally {
      this.pending = [];
      this.prune();
      this.saveDraft();
    }
  }

  discard() {
    this.draft = [];
    this.saveDraft();
  }

  saveDraft() {
    if (this.draft.length) sessionStorage.setItem(this.key, JSON.stringify(this.draft));
    else sessionStorage.removeItem(this.key);
  }

  /** Returns the effects of the changes, by a dry run.
   * @param {Change[]} changes */
  async trial(changes = this.draft) {
    return (await this.send(changes, { dryRun: true })).body;
  }

  /** The next days without and with the draft. */
  async days() {
    const path = `${this.path.replace(/preferences$/, "ahead")}${query({ form: this.form })}`;
    const [before, after] = await Promise.all([request(path.replace(/\?.*/, "")),
      request(path, { method: "POST", body: partial(this.draft) })]);
    return { before: before.body, after: after.body };
  }

  /** Writes the changes; fails with 412 if another client has written since the last load.
   * @param {Change[]} changes */
  async write(changes) {
    const { body, version } = await this.send(changes, {}, this.version);
    this.version = version;
    return body;
  }

  /**
   * @param {Change[]} changes
   * @param {object} parameters
   * @param {string|null} [version]
   */
  async send(changes, parameters, version) {
    return request(this.path + query({ form: this.form, ...parameters }),
      { method: "PATCH", body: partial(changes), version });
  }
}

/** Returns preferences with only these changes.
 * @param {Change[]} changes */
export function partial(changes) {
  /** @type {any} */
  const result = {};
  for (const { path, value } of changes) {
    let parent = result;
    for (const name of path.slice(0, -1)) parent = parent[name] ??= {};
    parent[path[path.length - 1]] = value;
  }
  return result;
}
