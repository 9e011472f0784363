import CivilTime

/// The keys of a catalog's reminders.
extension MappingKeys {
  static let reminder = MappingKeys([
    .required("category", .text, "The category of the reminder's notifications."),
    .required("group", .oneOrMany(.text), "The groups that switch the reminder; all must be on."),
    .optional(
      "when", .names(.oneOrMany(.text)),
      "Parameters of the reminder's groups, each with the values that the reminder needs."),
    .required("expires", .span, "How long after its planned time a notification may be sent."),
    .optional("every", .mapping(every), "The trigger on a calendar."),
    .optional("until", condition, "With every: the event that ends the reminder."),
    .optional("from", condition, "The event that must have happened before a notification."),
    .optional("pause", .mapping(pause), "With every: the event that interrupts the reminder."),
    .optional(
      "smart", toggle,
      "With every: whether the time follows the hour at which the recipient opens most "
        + "notifications."),
    .optional("skip", .mapping(skip), "The local dates on which the reminder is not sent."),
    .optional("having", .mapping(having), "An event that must have happened lately."),
    .optional(
      "unless", conditions,
      "Events on the same local date that prevent a notification; if there are several times of "
        + "day, an event prevents only the nearest."),
    .optional(
      "dayBegins", time, "With unless: the local time at which a day begins; default: midnight."),
    .optional("after", .mapping(after), "The trigger after the latest event."),
    .optional(
      "while", .names(.mapping(limit)),
      "With after and highest: the number at which the reminder ends."),
    .optional("cancel", conditions, "Later events that cancel the notification."),
    .optional("before", .mapping(before), "The trigger before an instant that an event carries."),
    .optional("idle", .mapping(idle), "The trigger when an event has not happened for a time."),
    .optional(
      "on", .either([.mapping(on), .mapping(onMilestone)]), "The trigger for each event."),
    .optional(
      "milestones", .names(.mapping(milestone)), "With on: texts for each number of days."),
    .optional("again", .mapping(again), "The repetitions of each notification."),
    .optional(
      "escalate", .list(.mapping(step)),
      "The steps that follow if the recipient does not answer, from 1 to 8."),
    .optional("channels", .oneOrMany(channel), "The channels of the reminder; default: all."),
    .optional("urgency", urgency, "The urgency of the reminder; default: its category's."),
    .optional("topics", .reference, "$name of a selection, whose words the messages have."),
    .required(
      "messages", .list(.mapping(topicMessage)),
      "The texts; each occurrence has one of them, never the same twice in a row."),
    .optional(
      "actions", .names(.mapping(action)),
      "The answers that it offers; default: those of its category."),
    .optional(
      "withdraw", .toggle,
      "Whether its notifications are withdrawn when they no longer apply; default: as its category."
    ),
    .optional(
      "opens", .word(Link.Target.allCases.map(\.rawValue)), "With on: the target of a tap."),
    .optional(
      "replacedBy", .text,
      "With on: an event about the same entity, whose reminder is sent instead of this one."
    ),
    .optional("past", .mapping(before), "The trigger after an instant that an event carries."),
    .optional("since", conditions, "With every: the date or the events that start the reminder."),
    .optional("where", .names(test), "Conditions on the fields of the reminder's event."),
    .optional("upcoming", .mapping(upcoming), "An instant of an event that must be near."),
    .optional(
      "to", .text,
      "The field that names another recipient, who gets the notification, or the role of the "
        + "people who get it."),
    .optional("named", toggle, "Whether texts may contain the recipient's name; default: true."),
    .optional(
      "flags", .names(.mapping(flag)), "With opens: the events that change a flag of its event."),
    .optional("repeats", .text, "The earlier reminder that this one repeats in other words."),
    .optional(
      "early", .span,
      "With before: if the planned time is too late, because a gate closes earlier, how long "
        + "before that closing the notification is sent; default: 1m."),
    .optional("was", .oneOrMany(.text), "The former names of the reminder."),
    .optional(
      "late", .word(["send", "skip"]),
      "With before: the action if the event arrives after the planned time; default: send."),
  ])

  // MARK: - Values

  private static let toggle = ValueShape.either([.toggle, .reference])
  private static let time = ValueShape.either([.time, .reference])
  private static let count = ValueShape.either([.wholeNumber, .reference])
  private static let counts = ValueShape.either([.wholeNumber, .reference, .list(.wholeNumber)])
  private static let span = ValueShape.either([.span, .reference])
  private static let days = ValueShape.either([.list(day), .reference])
  private static let condition = ValueShape.either([.text, .mapping(eventCondition)])
  private static let conditions = ValueShape.oneOrMany(condition)
  private static let perAny = KeyDescription.optional(
    "per", .word(["any"]), "Counts reports about every entity, not only the occurrence's.")
  private static let event = KeyDescription.required("event", .text, "The type of the event.")

  static let eventCondition = MappingKeys([
    .required("event", .oneOrMany(.text), "The type of the event, or a list of types."), perAny,
  ])

  // MARK: - Triggers

  static let every = MappingKeys(
    Series.Unit.allCases.map(\.rawValue).map { unit in
      var forms = CalendarForm.allCases.map { calendar(unit, $0) }
      if ["month", "year"].contains(unit) {
        forms += CalendarForm.allCases.map { otherCalendar(unit, $0) }
      }
      if unit == Series.Unit.year.rawValue { forms.append(anniversaries) }
      return .optional(
        unit, .either(forms.map { .mapping($0) }), "Selected times of each \(unit).")
    } + [
      .optional("plan", .text, "The field of the event of since with the plan of its entity."),
      .optional(
        "at", .either([.time, .list(.time), .reference]),
        "With plan: the daily times of an entity whose event has no plan."),
    ])

  static let anniversaries = MappingKeys([
    .required("from", .text, "The field of the event of since with the date that recurs."),
    at,
    .optional(
      "before", .mapping(dates), "The number of local dates before each anniversary; default 0."),
  ])

  static func calendar(_ unit: String, _ form: CalendarForm) -> MappingKeys {
    MappingKeys(
      (unit == "day" ? [] : [dates(of: unit)]) + times(form) + [
        offset, .optional("step", count, "With since: n, if only every n-th \(unit) is used."),
      ])
  }

  /// The keys of days of another calendar.
  static func otherCalendar(_ unit: String, _ form: CalendarForm) -> MappingKeys {
    let month = KeyDescription.required(
      "month", .text,
      "The month: a number from 1 to 12 or, of the Hebrew calendar, one of "
        + hebrewMonths.joined(separator: ", ") + ".")
    return MappingKeys(
      [
        .required(
          "calendar", .word(CalendarSystem.allCases.map(\.rawValue)),
          "The calendar, by its name in the Unicode CLDR."),
        .required("day", .oneOrMany(.text), "Days of the month from 1, or last."),
      ] + (unit == "year" ? [month] : []) + times(form) + [offset])
  }

  private static let offset = KeyDescription.optional(
    "after", .either([.span, .mapping(dates)]),
    "A duration that is added to the time, or a number of local dates.")

  static let dates = MappingKeys([
    .required("days", .wholeNumber, "The number of local dates, from 1 to 366.")
  ])

  private static let at = KeyDescription.required(
    "at", .either([.time, .list(.time), .reference]), "The time of day, or a list of times.")
  private static func times(_ form: CalendarForm) -> [KeyDescription] {
    switch form {
    case .at: [at]
    case .spread: spread
    case .pick:
      [.required("pick", .mapping(pick), "Times that are picked at random on each date.")]
    }
  }

  static let pick = MappingKeys([
    .required("between", .list(time), "The first and the last time of day of the window."),
    .required("times", count, "The number of times on a date, from 1 to 24."),
    .required("apart", .span, "The minimum distance between two of these times."),
  ])

  private static let spread: [KeyDescription] = [
    .required("spread", count, "How often the reminder is sent a day, at equal distances."),
    .required("from", time, "The time of day at which the distances begin."),
    .required("to", time, "The time of day at which the distances end."),
  ]

  private static func dates(of unit: String) -> KeyDescription {
    switch unit {
    case "week": .required("on", days, "The days of the week.")
    case "month":
      .required(
        "on", .oneOrMany(.text),
        "Days from 1 to 31, last, or an ordinal and a weekday such as first mon.")
    default: .required("on", .oneOrMany(.text), "Months and days, such as \"12-24\".")
    }
  }

  private static let delay: [KeyDescription] = [
    .optional("delay", span, "The time after the event."),
    .optional("next", time, "The time of day on the next local date."),
    .optional("days", count, "With at: the number of local dates after the event."),
    .optional("at", time, "The next such time of day; with days, the time of day on that date."),
  ]

  static let after = MappingKeys(
    [
      event,
      .optional(
        "highest", .text,
        "The field with a number: an event counts only if its number exceeds all earlier ones."),
    ] + delay)

  static let limit = MappingKeys([
    .required("below", .wholeNumber, "The number that ends the reminder.")
  ])

  static let on = MappingKeys(
    [event] + delay + [
      .optional("since", .oneOrMany(.text), "The events that start a count of days."),
      .optional("batch", .mapping(batch), "How events become one notification."),
    ])

  static let onMilestone = MappingKeys([
    event, .required("delay", .span, "The time after the event."),
    .required("since", .oneOrMany(.text), "The events that start the count of days."),
    .optional("freeze", .mapping(freeze), "The event that delays later milestones."),
  ])

  static let before = MappingKeys([
    event, .required("at", .text, "The field of the event with the instant or the date."),
    .optional("by", .either([.span, .reference, .list(.span)]), "The distances from the instant."),
    .optional("days", counts, "The distances in local dates; needs time."),
    .optional(
      "weeks",
      .either([.wholeNumber, .mapping(weeks), .list(.either([.wholeNumber, .mapping(weeks)]))]),
      "The distances in weeks of seven local dates; needs time."),
    .optional("time", time, "With days or weeks: the time of day."),
  ])

  static let weeks = MappingKeys([
    .required("from", .wholeNumber, "The first week."),
    .required("to", .wholeNumber, "The last week."),
    .optional("step", .wholeNumber, "Every n-th week from the first one; default: 1."),
  ])

  static let idle = MappingKeys([
    .required("event", .oneOrMany(.text), "The events that must not have happened."),
    .optional("days", count, "The number of days without the events."),
    .optional("hours", count, "The number of hours without the events."),
    .optional("times", .list(.wholeNumber), "Multiples, such as [1, 2, 4], for further reminders."),
    .optional("when", .names(.oneOrMany(.text)), "Parameters that the further reminders need."),
    .optional("channels", .list(.oneOrMany(channel)), "The channels of each reminder."),
  ])

  static let batch = MappingKeys([
    .required("by", .oneOrMany(.text), "The fields that must be equal."),
    .required("window", .span, "The duration after the first event, from 1s to 1d."),
  ])

  static let freeze = MappingKeys([event, .required("by", span, "The delay.")])

  static let milestone = MappingKeys([
    .required("name", .text, "The name of the milestone."),
    .required("meaning", .text, "The meaning of the name."),
    .optional("locales", .names(.mapping(milestoneWords)), "Name and meaning in other languages."),
  ])

  static let milestoneWords = MappingKeys([
    .optional("name", .text, "The name of the milestone."),
    .optional("meaning", .text, "The meaning of the name."),
  ])

  // MARK: - Conditions

  static let pause = MappingKeys([
    event,
    .required(
      "days", .wholeNumber, "The number of local dates from the event until the reminder resumes."),
    perAny,
  ])

  static let skip = MappingKeys([
    .optional("weekends", toggle, "Whether the reminder skips weekends."),
    .optional("holidays", toggle, "Whether the reminder skips public holidays."),
    .optional("days", days, "The days of the week that the reminder skips."),
    .optional(
      "move", word(RestMove.self),
      "The working day on which a skipped occurrence is sent; absent: none."),
  ])

  static let having = MappingKeys([
    event, .required("within", .span, "How long ago the event may have happened."),
    .optional("times", .wholeNumber, "How often it must have happened; default: once."), perAny,
  ])

  static let upcoming = MappingKeys([
    event, .required("at", .text, "The field of the event with the instant."),
    .required("within", span, "How near the instant must be."),
    .optional("cancel", conditions, "Events that cancel an entity."), perAny,
  ])

  private static let test = ValueShape.either([
    .oneOrMany(.text), .mapping(comparisons), .mapping(given),
  ])

  static let given = MappingKeys([
    .optional("given", .toggle, "Whether the field must have a value, or none.")
  ])

  static let comparisons = MappingKeys(
    DataCondition.Relation.allCases.filter { $0 != .equal }.map {
      .optional(
        $0.rawValue, .either([.number, .reference]),
        "The number with which the field's number is compared.")
    } + given.keys)

  static let flag = MappingKeys([
    .required("set", .text, "The event that sets the flag."),
    .required("clear", .text, "The event that clears the flag."),
  ])

  static let again = MappingKeys([
    .optional("every", .span, "The time between repetitions, at most 7d."),
    .optional("days", .wholeNumber, "Instead of every: the local dates between them, at most 7."),
    .required("times", .wholeNumber, "The number of repetitions, from 1 to 24."),
    .optional(
      "unless", conditions,
      "Events that prevent repetitions, in addition to those of the reminder's unless."),
    .optional(
      "when", .names(.oneOrMany(.text)),
      "Parameters, each with the values that the repetitions need."),
  ])

  static let step = MappingKeys([
    .required("after", .span, "The time after the reminder, at most 7d."),
    .optional(
      "channels", .oneOrMany(channel),
      "The channels on which the notification is repeated; with to: those of the other people."),
    .optional("to", .text, "The role of the people who get a message."),
    .optional("messages", .list(.mapping(message)), "With to: the texts for these people."),
    .optional(
      "category", .text, "With to: the category of the message; default: the reminder's."),
    .optional(
      "urgency", urgency,
      "With to: the urgency of the message; default: the reminder's, at most high."),
    .optional(
      "when", .names(.oneOrMany(.text)),
      "Parameters, each with the values that the step needs."),
  ])

  // MARK: - Messages

  static let message = MappingKeys(
    translation.keys + [
      .optional("locales", .names(.mapping(translation)), "The texts in other languages.")
    ])

  static let topicMessage = MappingKeys(
    message.keys + [
      .optional("topic", .text, "With topics: the word that the message is about.")
    ])

  static let translation = MappingKeys([
    .required("title", .text, "The title."),
    .required("body", .text, "The text."),
    .optional(
      "discreet", .text, "The text without private words, for channels that others may see."),
  ])
}

/// The key that gives the times of a calendar trigger.
enum CalendarForm: String, CaseIterable {
  case at, spread, pick
}
