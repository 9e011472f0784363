// A person's preferences while they are edited. The person saves each change at once; other users
// collect a draft, see its effects and apply it.

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
    /** @type {any} */ this.document = {};
    /** @type {string|null} */ this.version = null;
    // A person has no draft; one stored in this tab was made by another user.
    /** @type {Change[]} */ this.draft = isPerson() ? []
      : JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    /** The changes that are being written.
     * @type {Change[]} */ this.sent = [];
  }

  async load() {
    const { body, version } = await request(this.path + query({ form: this.form }));
    this.document = body;
    this.version = version;
  }

  /** The drafted value of a setting, else the stored one.
   * @param {string[]} path */
  value(path) {
    const name = path.join("\n");
    const drafted = this.draft.find(change => change.path.join("\n") === name);
    return drafted ? drafted.value : this.stored(path);
  }

  /** @param {string[]} path */
  stored(path) {
    return path.reduce((value, name) => value?.[name], this.document);
  }

  /**
   * @param {string[]} path
   * @param {any} value
   */
  collect(path, value) {
    const name = path.join("\n");
    this.draft = this.draft.filter(change => change.path.join("\n") !== name);
    this.draft.push({ path, value });
    // During a write, a change back to the stored value must stay in the draft.
    if (!this.sent.length) this.prune();
    this.saveDraft();
  }

  /** Removes the changes that equal the stored values. */
  prune() {
    this.draft = this.draft.filter(({ path, value }) =>
      JSON.stringify(this.stored(path)) !== JSON.stringify(value));
  }

  /** Writes the draft; changes made meanwhile stay in it. */
  async apply() {
    this.sent = this.draft;
    try {
      const done = await this.write(this.sent);
      await this.load();
      this.draft = this.draft.filter(change => !this.sent.includes(change));
      return done;
    } finally {
      this.sent = [];
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

  /** The effects of the changes, by a dry run.
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

  /** Writes; fails with 412 if another client has written since the last load.
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

/** A document that holds only these changes.
 * @param {Change[]} changes */
export function partial(changes) {
  /** @type {any} */
  const document = {};
  for (const { path, value } of changes) {
    let parent = document;
    for (const name of path.slice(0, -1)) parent = parent[name] ??= {};
    parent[path[path.length - 1]] = value;
  }
  return document;
}
