// The notification settings of the UrbanNest app, with the sections and texts of the app.

import { autoText, h } from "./dom.js";
import { row, section } from "./fields.js";
import { t } from "./words.js";

const boolean = { type: "boolean" };
const time = { type: "string", pattern: "time" };

/** The rows of each section: the setting, its title, and a description. */
const sections = {
  push: [
    ["bookingUpdates", "un.bookingUpdates", "un.bookingUpdates.about"],
    ["paymentNotifications", "un.payments", "un.payments.about"],
    ["promotions", "un.promotions", "un.promotions.about"],
    ["serviceReminders", "un.reminders", "un.reminders.about"],
    ["providerUpdates", "un.provider", "un.provider.about"],
    ["reviewReminders", "un.reviews", "un.reviews.about"],
  ],
  email: [
    ["bookingConfirmations", "un.confirmations"], ["invoices", "un.invoices"],
    ["weeklySummary", "un.weekly"], ["promotions", "un.promotionalEmails"],
    ["newsletter", "un.newsletter"],
  ],
  sms: [
    ["bookingConfirmations", "un.confirmations"], ["otp", "un.otp"],
    ["serviceReminders", "un.reminders"], ["paymentUpdates", "un.paymentUpdates"],
  ],
};

/**
 * @param {import("./store.js").Store} store
 * @param {{profile: any}} all
 * @param {(path: string[], value: any) => void} edit
 */
export function fields(store, { profile }, edit) {
  const control = (/** @type {string[]} */ path, field) => row({
    schema: boolean, value: store.value(path),
    change: value => edit(path, value), ...field,
  });
  return [
    banner(profile),
    Object.entries(sections).map(([channel, rows]) => {
      const isOn = store.value([channel, "enabled"]);
      return section(t(`un.${channel}`), [
        control([channel, "enabled"], { label: t(`un.${channel}.enable`) }),
        rows.map(([name, title, about]) => name === "otp"
          ? control([channel, name], { label: t(title), value: true, isFixed: true })
          : control([channel, name], {
            label: t(title), subtitle: about && t(about), isFixed: !isOn,
          })),
      ], sentTo(channel, profile));
    }),
    quiet(store, profile, edit, control),
    section(t("un.inApp"), ["sound", "vibration", "badgeCount"].map(name =>
      control(["inApp", name], { label: t(`un.${name}`) }))),
  ];
}

function sentTo(channel, profile) {
  const address = { email: profile.profile.email, sms: profile.profile.phone };
  const value = address[/** @type {"email"|"sms"} */ (channel)];
  return value && t("un.sentTo", { address: value });
}

function banner(profile) {
  if (profile.permissions.push !== "denied") return null;
  return h("div", { class: "notice bad" },
    h("b", null, "⚠ ", t("un.disabled")), h("p", null, t("un.disabled.about")));
}

/**
 * @param {import("./store.js").Store} store
 * @param {(path: string[], value: any) => void} edit
 * @param {(path: string[], field: any) => HTMLElement} control
 */
function quiet(store, profile, edit, control) {
  const error = h("p", { class: "bad", role: "alert" });
  const set = (name, value) => {
    const other = store.value(["dnd", name === "startTime" ? "endTime" : "startTime"]);
    error.replaceChildren(value === other ? autoText(`✕ ${t("un.equal")}`) : "");
    if (value !== other) edit(["dnd", name], value);
  };
  return section(t("un.dnd"), [
    profile.quietUntil && h("p", { class: "notice" }, "◐ ", t("un.dnd.active")),
    control(["dnd", "enabled"], { label: t("un.dnd.enable") }),
    ["startTime", "endTime"].map(name => control(["dnd", name], {
      label: t(name === "startTime" ? "from" : "to"), schema: time,
      change: value => set(name, value),
    })),
    error,
  ], t("un.dnd.urgent"));
}
