/// The keys of the policies in a catalog or in the configuration.
extension MappingKeys {
  package static let policies = MappingKeys([
    .optional("hours", .list(.mapping(allowedHours)), "The hours in which channels are allowed."),
    .optional("caps", .mapping(policyCaps), "The limits of recipients' caps."),
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

  static let policyCaps = MappingKeys([
    .optional("perDay", .wholeNumber, "The highest daily cap that recipients may have."),
    .optional("minInterval", .span, "The shortest minimum interval that recipients may have."),
  ])
}
