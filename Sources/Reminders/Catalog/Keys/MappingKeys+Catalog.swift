/// The keys of a catalog file, except those of reminders and policies.
extension MappingKeys {
  package static let catalog = MappingKeys([
    .required("catalog", .text, "The name of the catalog."),
    .optional("language", .text, "The language of the texts, such as de or pt-BR; default: en."),
    .optional("events", .names(.names(field)), "The event types that the catalog adds."),
    .optional(
      "roles", .list(.text), "The roles in which other people get notifications about a recipient."
    ),
    .required("categories", .names(.mapping(category)), "The classes of notifications, by name."),
    .optional("groups", .names(.mapping(group)), "The settings of reminders, by group."),
    .optional(
      "presets",
      .mapping(
        MappingKeys(
          Preset.names.map { .optional($0, .mapping(preset), "The switches of this preset.") })),
      "The switches that the presets of preferences turn on."),
    .required("reminders", .names(.mapping(reminder)), "The reminders by name."),
    .optional(
      "titles", .names(.mapping(titles)),
      "Titles on a settings page, by language."),
    .optional("digest", .mapping(digest), "The texts of a digest of several notifications."),
    .optional("defaults", .mapping(defaults), "The default display hints."),
    .optional("policies", .mapping(policies), "The operator's limits for every recipient."),
  ])

  // MARK: - Events

  private static let field = ValueShape.either([
    .word(CatalogReader.kinds.map(\.word) + CatalogReader.kinds.map { $0.word + "?" }),
    .mapping(rememberedNumber), .mapping(countedList),
  ])

  static let rememberedNumber = MappingKeys([
    .required("number", .list(.wholeNumber), "The least and the greatest number."),
    .required(
      "keep", .word(["highest", "each"]),
      "Whether to remember the highest number, or the last time of each number."),
  ])

  static let countedList = MappingKeys([
    .required("list", .names(forms), "The kinds of elements, each with singular and plural."),
    .optional("locales", .names(.names(forms)), "The forms in other languages."),
  ])

  private static let forms = ValueShape.either([.list(.text), .mapping(plural)])

  static let plural = MappingKeys(
    PluralCategory.allCases.map {
      .optional($0.rawValue, .text, "The form of this plural category; # is the number.")
    })

  // MARK: - Categories

  static let category = MappingKeys([
    .required("title", .text, "The title on a settings page."),
    .optional("description", .text, "The text below the title."),
    .optional("urgency", urgency, "The urgency of the category's notifications; default: normal."),
    .required("channels", .mapping(channels), "The channels of the category; at least one."),
    .optional(
      "fallback", .list(channel),
      "The channels, in order, that replace the others if none reached the recipient."),
    .optional(
      "confirm", .mapping(confirmation), "The channel that follows if no receipt arrives in time."),
    .optional(
      "locked", .toggle, "Whether recipients cannot turn the category off; default: false."),
    .optional("quiet", word(QuietAction.self), "The action in quiet hours; default: hold."),
    .optional("overCap", word(CapAction.self), "The action at the daily cap; default: hold."),
    .optional(
      "vacation", word(VacationAction.self),
      "The action for one-time reminders in a vacation; default: hold."),
    .optional("actions", .names(.mapping(action)), "The answers that its notifications offer."),
    .optional(
      "reachable", .span,
      "How long after a device was seen push is used where another channel can; default: 30d."),
    .optional(
      "withdraw", .toggle,
      "Whether notifications are withdrawn when they no longer apply; default: false."),
    .optional("discreet", .list(channel), "The channels that show discreet texts; default: none."),
  ])

  static let action = MappingKeys([
    .optional("title", .either([.text, .names(.text)]), "The text of the button, by language."),
    .optional("event", .text, "The event that it reports, marked from: recipient."),
    .optional("undo", .text, "With event: the event that takes it back."),
    .optional("snooze", .span, "How much later the notification is sent again."),
    .optional("set", .names(.anything), "The preferences that it changes, by path."),
  ])

  private static let channels = MappingKeys(
    Channel.allCases.map {
      .optional(
        $0.name, .either([.toggle, .word(["fallback"])]),
        "Whether the channel is on by default, or only a fallback.")
    })

  static let confirmation = MappingKeys([
    .required("within", .span, "The time to wait for a receipt, from 1m to 1d."),
    .required("else", channel, "The channel that follows."),
  ])

  static let channel = ValueShape.word(Channel.allCases.map(\.name))
  static let urgency = ValueShape.word(Urgency.allCases.map { "\($0)" })

  static func word<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) -> ValueShape where Word.RawValue == String {
    .word(type.allCases.map(\.rawValue))
  }

  // MARK: - Groups

  private static let group = MappingKeys(
    [.required("enabled", .toggle, "Whether the group is on by default.")],
    others: .either([
      .toggle, .time, .wholeNumber, .span, .list(.either([day, .time, .wholeNumber])),
      .mapping(parameter),
    ]))

  static let day = ValueShape.word(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])

  static let parameter = MappingKeys([
    .optional("choice", .list(.text), "One of 2 to 64 words; the first is the default."),
    .optional("selection", .list(.text), "Some of 1 to 62 words; all are the default."),
    .optional("number", .list(.wholeNumber), "The least and the greatest number."),
    .optional("duration", .list(.span), "The shortest and the longest duration."),
    .optional("days", .list(day), "Days of the week."),
    .optional("times", .list(.time), "Times of day."),
    .optional("initial", .anything, "The default value."),
  ])

  // MARK: - Presets, titles, digests, defaults

  static let preset = MappingKeys([
    .optional("channels", switches, "The channels that are on; default: all."),
    .optional("categories", switches, "The categories that are on; default: defaults."),
    .optional("reminders", switches, "The groups that are on; default: defaults."),
    .optional(
      "keep", .list(.text), "The categories and groups whose switches the preset does not change."),
  ])

  private static let switches = ValueShape.either([
    .word(["all", "none", "defaults"]), .list(.text),
  ])

  static let titles = MappingKeys([
    .optional("categories", .names(title), "Titles of categories."),
    .optional("groups", .names(title), "Titles of groups, their parameters and choices."),
  ])

  /// A title, or a list of a title and a description.
  private static let title = ValueShape.oneOrMany(.text)

  static let digest = MappingKeys(
    digestWords.keys + [
      .optional("locales", .names(.mapping(digestWords)), "The texts in other languages.")
    ])

  static let digestWords = MappingKeys([
    .required("title", .text, "The title; {{count}} is the number of notifications."),
    .optional("line", .text, "The line for each notification."),
  ])

  static let defaults = MappingKeys([
    .optional("hints", .mapping(hints), "The display hints of recipients who set none.")
  ])

  private static let hints = MappingKeys(
    CatalogReader.hints.map { hint in
      let words = hint.kind.words
      return .optional(
        String(hint.path.dropFirst("hints.".count)), words.isEmpty ? .toggle : .word(words),
        "The default of this display hint.")
    })
}
