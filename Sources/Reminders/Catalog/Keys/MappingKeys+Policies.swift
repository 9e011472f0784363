/// The keys of the policies in a catalog or in the configuration.
extension MappingKeys {
  package static let policies = MappingKeys([
    .optional("hours", .list(.mapping(allowedHours)), "The hours in which channels are allowed."),
    .optional("caps", .oneOrMany(.mapping(policyCap)), "The limits of numbers and intervals."),
    .optional(
      "defaults", .names(.anything), "Preferences, by path, of recipients who have not set them."),
  ])

  static let allowedHours = MappingKeys([
    .required("from", .time, "The local time at which the hours begin."),
    .required("to", .either([.time, .word(["24:00"])]), "The local time at which they end."),
    .optional("days", .list(day), "The days on which the channels are allowed; default: all."),
    .required("channels", .list(channel), "The channels, except inapp."),
    .optional("categories", .list(.text), "The categories, of any catalog; default: all."),
    .optional(
      "phones", .list(.text), "Beginnings of telephone numbers, such as +1; default: everyone."),
    .optional(
      "regions", .list(.text), "Regions of the profile, such as US or US-CA; default: everyone."),
    .optional(
      "critical", .word(["hold", "pass"]), "The action on critical notifications; default: hold."),
  ])

  static let policyCap = MappingKeys([
    .optional(
      "categories", .list(.text),
      "The categories that count together; default: the preferences are limited."),
    .optional("perDay", .wholeNumber, "The most notifications on a local date."),
    .optional("perWeek", .wholeNumber, "The most notifications on seven local dates."),
    .optional("minInterval", .span, "The least time between two notifications."),
  ])
}
