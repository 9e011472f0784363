// What goes out in the next day: a bar for each part of it, which opens a table by category.

import { get } from "./api.js";
import { h, show, svg } from "./dom.js";
import { empty, live } from "./states.js";
import { isRightToLeft, number, t } from "./words.js";

const EVERY = 60_000;
const HEIGHT = 100;
const MINUTES = 15;

/** @param {HTMLElement} place */
export const forecast = place =>
  live(place, () => get(`/v1/forecast?minutes=${MINUTES}`), draw, EVERY);

function draw(all) {
  const count = all.parts.reduce((sum, part) => sum + part.count, 0);
  const head = [h("h2", null, t("forecast")), h("p", { class: "soft" },
    t(all.exact ? "forecast.exact" : "forecast.sample", {
      count: number(count), people: number(all.people), asked: number(all.asked),
    }))];
  if (!count) return [head, empty(t("forecast.empty"))];
  const table = hours(all.parts);
  return [head, bars(all.parts, () => { table.open = true; }), table];
}

/**
 * @param {any[]} parts
 * @param {() => void} open shows the numbers; by keyboard they are opened below
 */
function bars(parts, open) {
  const most = Math.max(...parts.map(part => part.count));
  const width = 100 / parts.length;
  return svg("svg", { class: "bars", height: HEIGHT + 20, "aria-hidden": "true", onclick: open },
    parts.map((part, index) => {
      const size = part.count / most * HEIGHT;
      const place = isRightToLeft() ? parts.length - 1 - index : index;
      return [
        svg("rect", { x: `${(place + 0.1) * width}%`, width: `${width * 0.8}%`, rx: 2,
          y: HEIGHT - size, height: size }),
        index % 16 === 0 && svg("text", { x: `${(place + 0.5) * width}%`, y: HEIGHT + 16 },
          `${part.at.slice(11, 16)}`),
      ];
    }));
}

/** The same to be read, by category; the times are UTC, for they are the service's own.
 * @param {any[]} parts */
function hours(parts) {
  const names = [...new Set(parts.flatMap(part => Object.keys(part.categories)))].sort();
  const body = h("tbody");
  return h("details", { ontoggle: () => show(body, parts.filter(part => part.count).map(part =>
    h("tr", null, h("th", { scope: "row" }, `${part.at.slice(11, 16)} UTC`),
      names.map(name => h("td", { class: "n" }, number(part.categories[name] ?? 0)))))) },
  h("summary", null, t("forecast.table")),
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("forecast") },
    h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, t("column.since")),
      names.map(name => h("th", { scope: "col", class: "n" }, name)))), body)));
}
