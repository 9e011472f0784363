// A person's preferences while they are edited. The person's own switch is saved at once; whoever
// edits them for somebody collects a draft, sees what it changes, and applies it.

import { ask, of, query } from "./api.js";
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
    this.path = of(person, "/preferences");
    this.key = `chimed.draft ${form} ${person}`;
    /** @type {any} */ this.document = {};
    /** @type {string|null} */ this.version = null;
    // A person has no draft; one that is kept in this tab is of who helped them.
    /** @type {Change[]} */ this.draft = isPerson() ? []
      : JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    /** What is being written of it.
     * @type {Change[]} */ this.sent = [];
  }

  async load() {
    const { body, version } = await ask(this.path + query({ form: this.form }));
    this.document = body;
    this.version = version;
  }

  /** What stands there, the draft on top.
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
    // What is put back while it is being written is a change of what will stand there.
    if (!this.sent.length) this.prune();
    this.keep();
  }

  /** Leaves out what stands there already. */
  prune() {
    this.draft = this.draft.filter(({ path, value }) =>
      JSON.stringify(this.stored(path)) !== JSON.stringify(value));
  }

  /** Writes the draft, of which that is left which was changed meanwhile. */
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
      this.keep();
    }
  }

  discard() {
    this.draft = [];
    this.keep();
  }

  keep() {
    if (this.draft.length) sessionStorage.setItem(this.key, JSON.stringify(this.draft));
    else sessionStorage.removeItem(this.key);
  }

  /** What the changes would do, without doing it.
   * @param {Change[]} changes */
  async trial(changes = this.draft) {
    return (await this.send(changes, { dryRun: true })).body;
  }

  /** The next days as they are, and as the changes would have them. */
  async days() {
    const path = `${this.path.replace(/preferences$/, "ahead")}${query({ form: this.form })}`;
    const [before, after] = await Promise.all([ask(path.replace(/\?.*/, "")),
      ask(path, { method: "POST", body: partial(this.draft) })]);
    return { before: before.body, after: after.body };
  }

  /** Writes, if nobody else has written since it was read.
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
    return ask(this.path + query({ form: this.form, ...parameters }),
      { method: "PATCH", body: partial(changes), version });
  }
}

/** The document that has these changes and nothing else.
 * @param {Change[]} changes */
export function partial(changes) {
  /** @type {any} */
  const document = {};
  for (const { path, value } of changes) {
    let place = document;
    for (const name of path.slice(0, -1)) place = place[name] ??= {};
    place[path[path.length - 1]] = value;
  }
  return document;
}
