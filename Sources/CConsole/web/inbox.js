// The inbox of the app: who did what, with their pictures and what has not been read.

import { ask, get, query } from "./api.js";
import { h, said } from "./dom.js";
import { session } from "./session.js";
import { button, empty, further as behind, live } from "./states.js";
import { body, isShown } from "./texts.js";
import { utc } from "./times.js";
import { t } from "./words.js";

const PAGE = 20;
const THUMBNAILS = 5;

/**
 * @param {HTMLElement} place
 * @param {Promise<Record<string, string>>} names of the categories
 */
export async function inbox(place, person, names) {
  const path = page =>
    `/api/notifications${query({ recipient: person, page, limit: PAGE })}`;
  const load = async number => {
    const [{ data, meta }, known] = await Promise.all([get(path(number)), names]);
    return { meta, data: data.map(one => ({ ...one, title: known[one.type] ?? one.type })) };
  };
  const again = () => live(place, () => load(1), draw);
  const mark = async (what, wish) => {
    await ask(`/api/notifications/${what}${query({ recipient: person })}`,
      { method: "PUT", ...wish });
    again();
  };
  const draw = page => {
    const items = page.data.map(one => row(one, person, mark));
    const list = h("ol", { class: "list" }, items);
    const isUnread = page.data.some(one => !one.isRead);
    return [
      h("div", { class: "head" }, h("h2", null, t("inbox")),
        isUnread && button(t("readAll"), () => mark("read-all", {}), "plain")),
      page.data.length ? list : empty(t("inbox.empty")),
      page.meta.hasNextPage && further(list, person, load, mark),
    ];
  };
  await again();
}

/**
 * Goes on when the end of the list comes into sight, or when it is asked to.
 * @param {Element} list
 * @param {(page: number) => Promise<any>} load
 * @param {(what: string, wish: any) => void} mark
 */
function further(list, person, load, mark) {
  const more = behind(list, 2, async number => {
    const page = await load(number);
    return [page.data.map(one => row(one, person, mark)), page.meta.hasNextPage && number + 1];
  });
  const watch = new IntersectionObserver(entries => {
    if (entries.some(entry => entry.isIntersecting)) more.click();
  });
  watch.observe(more);
  return more;
}

/** @param {(what: string, wish: any) => void} mark */
function row(one, person, mark) {
  const name = one.actor?.username ?? one.actor?.firstName ?? "";
  return h("li", { class: one.isRead ? "note" : "note unread" },
    h("span", { class: "avatar", "aria-hidden": "true" },
      picture(isShown(person) && one.actor?.avatarUrl, initials(name) || "•")),
    h("div", null,
      body(one.displayText, person),
      isShown(person) && thumbnails(one),
      h("small", null, said(one.title), " · ", utc(one.createdAt))),
    !one.isRead && button(t("read"), () =>
      mark("read", { body: { notificationIds: [one.id] } }), "plain"));
}

const initials = name => name.split(/[\s._-]+/).filter(Boolean).slice(0, 2)
  .map(part => [...part][0].toUpperCase()).join("");

/** A picture, if it is where the operator lets it be loaded from; else what stands for it. */
function picture(address, instead) {
  const host = /^https:\/\/([^/?#]+)/i.exec(address || "")?.[1].toLowerCase() ?? "";
  if (!session()?.images.includes(host)) return instead;
  const image = h("img", { src: address, alt: "", onerror: () => image.replaceWith(instead) });
  return image;
}

/** What was added. */
function thumbnails(one) {
  if (!one.thumbnails.length) return null;
  const shown = one.thumbnails.slice(0, THUMBNAILS);
  const others = one.batchCount - shown.length;
  return h("p", { class: "thumbnails" },
    shown.map(item => h("span", { class: "thumbnail" }, picture(item.url,
      h("span", { "aria-hidden": "true" }, item.type === "VIDEO" ? "▶" : "▦")),
    h("span", { class: "unseen" }, item.type ?? ""))),
    others > 0 && t("andMore", { count: others }));
}
