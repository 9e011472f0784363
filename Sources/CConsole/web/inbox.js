// The inbox of the app. An item shows whether it is read, and a picture of the user who caused it.

import { get, personPath, query, request } from "./api.js";
import { autoText, h } from "./dom.js";
import { relative } from "./parts.js";
import { session } from "./session.js";
import { button, empty, liveView, moreButton } from "./states.js";
import { mayShowTexts, messageBody } from "./text-views.js";
import { t } from "./words.js";

const PAGE_SIZE = 20;
const THUMBNAILS = 5;

/**
 * @param {HTMLElement} root
 * @param {Promise<Record<string, string>>} names category titles by name
 */
export async function inbox(root, person, names) {
  const path = personPath(person, "/inbox");
  const load = async after => {
    const [page, titles] = await Promise.all([
      get(path + query({ limit: PAGE_SIZE, after })), names]);
    return { ...page,
      items: page.items.map(item => ({ ...item, type: titles[item.category] ?? item.category })) };
  };
  const reload = () => liveView(root, () => load(undefined), draw);
  const markAsRead = async itemPath => {
    await request(`${path}${itemPath}/read`, { method: "POST" });
    reload();
  };
  const answer = async action => {
    await request(actionPath(action), { method: "POST" });
    reload();
  };
  const toRow = item => row(item, person, markAsRead, answer);
  const draw = page => {
    const list = h("ol", { class: "list" }, page.items.map(toRow));
    return [
      h("div", { class: "head" }, h("h2", null, t("inbox")),
        page.unread > 0 && button(t("readAll"), () => markAsRead(""), "plain")),
      page.items.length ? list : empty(t("inbox.empty")),
      page.next && autoMoreButton(list, page.next, load, toRow),
    ];
  };
  await reload();
}

/**
 * A button that loads the next page when it is clicked or scrolled into view.
 * @param {string} next the cursor of the next page
 * @param {(after: string) => Promise<any>} load
 * @param {(item: any) => Element} toRow
 */
function autoMoreButton(list, next, load, toRow) {
  const more = moreButton(list, next, async after => {
    const page = await load(after);
    return [page.items.map(toRow), page.next];
  });
  const observer = new IntersectionObserver(entries => {
    if (entries.some(entry => entry.isIntersecting)) more.click();
  });
  observer.observe(more);
  return more;
}

/** The path of an action at this service; its link begins with the public address. */
const actionPath = action => `/a/${action.url.split("/a/").pop()}`;

/**
 * @param {(itemPath: string) => void} markAsRead
 * @param {(action: any) => void} answer
 */
function row(item, person, markAsRead, answer) {
  const { actor, thumbnails = [], batchCount = 1, actions = [] } = item.details ?? {};
  const name = actor?.username ?? actor?.firstName ?? "";
  return h("li", { class: item.read ? "note" : "note unread" },
    h("span", { class: "avatar", "aria-hidden": "true" },
      picture(mayShowTexts(person) && actor?.avatarUrl, initials(name) || "•")),
    h("div", null,
      messageBody(item.body, person),
      mayShowTexts(person) && pictures(thumbnails, batchCount),
      actions.filter(action => action.url)
        .map(action => button(action.title, () => answer(action), "plain")),
      h("small", null, autoText(item.type), " · ", relative(item.at))),
    !item.read && button(t("read"), () => markAsRead(`/${encodeURIComponent(item.id)}`), "plain"));
}

const initials = name => name.split(/[\s._-]+/).filter(Boolean).slice(0, 2)
  .map(word => [...word][0].toUpperCase()).join("");

/** The picture, if the operator allows its host; else the substitute. */
function picture(address, substitute) {
  const host = /^https:\/\/([^/?#]+)/i.exec(address || "")?.[1].toLowerCase() ?? "";
  if (!session()?.images.includes(host)) return substitute;
  const image = h("img", { src: address, alt: "", onerror: () => image.replaceWith(substitute) });
  return image;
}

function pictures(thumbnails, count) {
  if (!thumbnails.length) return null;
  const shown = thumbnails.slice(0, THUMBNAILS);
  const others = count - shown.length;
  return h("p", { class: "thumbnails" },
    shown.map(item => h("span", { class: "thumbnail" }, picture(item.url,
      h("span", { "aria-hidden": "true" }, item.type === "VIDEO" ? "▶" : "▦")),
    h("span", { class: "unseen" }, item.type ?? ""))),
    others > 0 && t("andMore", { count: others }));
}
