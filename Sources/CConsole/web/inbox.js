// The app's inbox, with pictures of the actors and unread marks.

import { get, query, request } from "./api.js";
import { autoText, h } from "./dom.js";
import { relative } from "./parts.js";
import { session } from "./session.js";
import { button, empty, liveView, moreButton } from "./states.js";
import { mayShowTexts, messageBody } from "./text-views.js";
import { t } from "./words.js";

const PAGE = 20;
const THUMBNAILS = 5;

/**
 * @param {HTMLElement} root
 * @param {Promise<Record<string, string>>} names category titles by name
 */
export async function inbox(root, person, names) {
  const path = page =>
    `/api/notifications${query({ recipient: person, page, limit: PAGE })}`;
  const load = async number => {
    const [{ data, meta }, known] = await Promise.all([get(path(number)), names]);
    return { meta, data: data.map(one => ({ ...one, title: known[one.type] ?? one.type })) };
  };
  const reload = () => liveView(root, () => load(1), draw);
  const mark = async (what, options) => {
    await request(`/api/notifications/${what}${query({ recipient: person })}`,
      { method: "PUT", ...options });
    reload();
  };
  const draw = page => {
    const items = page.data.map(one => row(one, person, mark));
    const list = h("ol", { class: "list" }, items);
    const isUnread = page.data.some(one => !one.isRead);
    return [
      h("div", { class: "head" }, h("h2", null, t("inbox")),
        isUnread && button(t("readAll"), () => mark("read-all", {}), "plain")),
      page.data.length ? list : empty(t("inbox.empty")),
      page.meta.hasNextPage && autoMoreButton(list, person, load, mark),
    ];
  };
  await reload();
}

/**
 * A button for the next page, which also loads it when it scrolls into view.
 * @param {Element} list
 * @param {(page: number) => Promise<any>} load
 * @param {(what: string, options: any) => void} mark
 */
function autoMoreButton(list, person, load, mark) {
  const more = moreButton(list, 2, async number => {
    const page = await load(number);
    return [page.data.map(one => row(one, person, mark)), page.meta.hasNextPage && number + 1];
  });
  const watch = new IntersectionObserver(entries => {
    if (entries.some(entry => entry.isIntersecting)) more.click();
  });
  watch.observe(more);
  return more;
}

/** @param {(what: string, options: any) => void} mark */
function row(one, person, mark) {
  const name = one.actor?.username ?? one.actor?.firstName ?? "";
  return h("li", { class: one.isRead ? "note" : "note unread" },
    h("span", { class: "avatar", "aria-hidden": "true" },
      picture(mayShowTexts(person) && one.actor?.avatarUrl, initials(name) || "•")),
    h("div", null,
      messageBody(one.displayText, person),
      mayShowTexts(person) && thumbnails(one),
      h("small", null, autoText(one.title), " · ", relative(one.createdAt))),
    !one.isRead && button(t("read"), () =>
      mark("read", { body: { notificationIds: [one.id] } }), "plain"));
}

const initials = name => name.split(/[\s._-]+/).filter(Boolean).slice(0, 2)
  .map(part => [...part][0].toUpperCase()).join("");

/** A picture from a host that the operator allows; else the substitute. */
function picture(address, substitute) {
  const host = /^https:\/\/([^/?#]+)/i.exec(address || "")?.[1].toLowerCase() ?? "";
  if (!session()?.images.includes(host)) return substitute;
  const image = h("img", { src: address, alt: "", onerror: () => image.replaceWith(substitute) });
  return image;
}

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
