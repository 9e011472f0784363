import JSON
import Reminders

extension Component {
  static let channels = Schema.list(.word(Channel.allCases.map(\.name)))
  static let reasons = Schema.list(.text).described("The gates that held or dropped it")

  /// For whom a slot is kept (rule V5).
  static let beneficiary = Schema.object(.init("reminder", .text), .init("at", .instant)).orNull
    .described("What is more urgent and has the slot kept for which it waits")

  static let missed = Schema.count.described(
    "How many occurrences in a row were missed, of which this is the last; absent for one")

  static var pendingSchema: Schema {
    .object(
      .init("reminder", .text), .init("category", .text), .init("channels", channels),
      .init("title", .text), .init("body", .text), .init("planned", .instant),
      .init("plannedLocal", .localTime), .init("at", .instant.described("When it will go")),
      .init("local", .localTime), .init("offset", .text.example("-05:00")),
      .init("abbreviation", .text.example("EST")), .init("outcome", .text),
      .init("reasons", reasons), .init("for", beneficiary), .optional("members", members))
  }

  /// A digest is one entry (rule V6); its parts have none.
  private static let members = Schema.list(.reference(.pending))
    .described("What a digest is made of, the most urgent first; absent for anything else")

  static var pendingPageSchema: Schema {
    .object(
      .init("recipient", .recipient), .init("zone", .text),
      .init("zoneIsDefault", .boolean), .init("now", .instant),
      .init("pending", .list(.reference(.pending))),
      .init("next", Schema.text.orNull.described("after= of the page behind this one")))
  }

  static var firingSchema: Schema {
    .object(
      .init("id", .text), .init("at", .instant), .init("local", .localTime),
      .init("offset", .text.example("-05:00")), .init("reminder", .text),
      .init("category", .text), .init("channels", channels),
      .init("outcome", .word(["delivered", "dropped"])), .init("planned", .instant),
      .init("plannedLocal", .localTime), .init("expires", .instant),
      .init("reasons", reasons), .init("title", .text), .init("body", .text),
      .optional("missed", missed), .optional("silent", .boolean),
      .optional("members", .list(.text).described("The titles of what a digest is made of")))
  }

  static let days = Schema.list(
    .object(.init("date", .date), .init("start", .instant), .init("end", .instant))
  ).described("The person's own dates, as they begin and end")
  static let quietWindows = Schema.list(
    .object(.init("start", .instant), .init("end", .instant))
  ).described("The quiet windows that touch these days")

  static var timelineSchema: Schema {
    .object(
      .init("recipient", .recipient), .init("zone", .text), .init("zoneIsDefault", .boolean),
      .init("now", .instant), .init("through", .instant),
      .init("days", days), .init("quiet", quietWindows),
      .init("timeline", .list(.reference(.firing))))
  }

  static var explanationSchema: Schema {
    .object(
      .init("reminder", .text), .init("category", .text), .init("channels", channels),
      .init("zone", .text), .init("planned", .instant), .init("plannedLocal", .localTime),
      .init("timing", Schema.text.orNull.described("How its time of day was chosen")),
      .init(
        "warning", Schema.text.orNull.described("That holidays are known no further, a year ahead")
      ),
      .init("rounds", rounds), .init("outcome", .text), .init("at", .instant),
      .init("local", .localTime), .init("reasons", reasons), .init("for", beneficiary),
      .init("counterfactual", Schema.text.orNull))
  }

  static var pastExplanationSchema: Schema {
    .object(
      .init("notification", .text), .init("reminder", .text), .init("category", .text),
      .init("title", .text), .init("body", .text), .optional("silent", .boolean),
      .init("channels", channels), .init("zone", .text), .init("planned", .instant),
      .init("plannedLocal", .localTime), .optional("rounds", rounds),
      .init("verdicts", .list(.object(.init("gate", .text), .init("verdict", .text)))),
      .init("outcome", toldState), .init("at", .instant), .init("local", .localTime),
      .init("reasons", reasons), .init("counterfactual", Schema.text.orNull),
      .optional("missed", missed), .optional("members", .list(.text)),
      .optional("digest", .text), .init("deliveries", .list(deliveryState)))
  }

  private static var deliveryState: Schema {
    .object(
      .init("sink", .text), .init("channel", .text),
      .init(
        "state", .word(["waiting", "handed_over", "retrying", "dead_letter", "failed", "dropped"])),
      .optional("failedAttempts", .count), .optional("next", .instant),
      .optional("nextLocal", .localTime), .optional("reason", .text),
      .optional("attempts", .list(attempt)))
  }

  static var attempt: Schema {
    .object(
      .init("channel", .text), .init("sink", .text), .init("at", .instant),
      .optional("local", .localTime),
      .init("verdict", .word(["delivered", "retry", "rejected", "dropped"])),
      .optional("status", .text), .optional("excerpt", .text), .optional("milliseconds", .count),
      .optional("reason", .text))
  }

  /// What the gates said at each instant at which they were asked.
  private static var rounds: Schema {
    let gate = Schema.object(
      .init("gate", .text), .init("verdict", .text), .init("input", .text),
      .init("kind", Schema.text.described("Which sentence the input is, for other languages")),
      .init("parameters", Schema.object.described("What it names, by the place in the sentence")),
      .optional("until", .instant), .optional("untilLocal", .localTime))
    return .list(
      .object(.init("at", .instant), .init("local", .localTime), .init("gates", .list(gate))))
  }

  static var explanationsSchema: Schema {
    .object(
      .init("recipient", .recipient),
      .init(
        "explanations",
        .list(.oneOf([.reference(.explanation), .reference(.pastExplanation)]))))
  }
}

extension Component {
  /// What a write changes (rule P5).
  static var consequencesSchema: Schema {
    .object(
      .init("version", .count), .init("dryRun", .boolean), .init("changes", .list(change)),
      .init("warnings", .list(.text)))
  }

  static var change: Schema {
    .object(
      .init("change", .word(Consequences.Kind.allCases.map(\.rawValue)).described(changeKinds)),
      .init("reminder", .text),
      .init("title", .text), .init("channels", channels), .init("before", Schema.instant.orNull),
      .init("beforeLocal", Schema.localTime.orNull), .init("after", Schema.instant.orNull),
      .init("afterLocal", Schema.localTime.orNull), .init("reasons", reasons))
  }

  private static let changeKinds = """
    moved to another instant; dropped by a gate, or restored where a gate was to drop it; \
    cancelled, as it is not planned any more; or added
    """

  /// All of a person's settings, to be kept elsewhere and brought back (rule P4).
  static var preferencesExportSchema: Schema {
    .object(
      .init("version", .integer(1...1)), .init("preferences", .reference(.preferences)))
  }

  static var presetSchema: Schema {
    .object(
      .init("name", .word(Preset.names + [Preset.custom])),
      .init("own", Schema.boolean.described("Whether the person saved it")),
      .init("current", Schema.boolean.described("Whether the switches are as it has them")),
      .init("switches", Schema.object.described("What it switches, as preferences have it")))
  }

  static var presetsSchema: Schema {
    .object(.init("current", .text), .init("presets", .list(.reference(.preset))))
  }

  /// The document of the UrbanNest app's notification settings.
  static var customerPreferencesSchema: Schema {
    func switches(_ names: String...) -> Schema {
      .object(names.map { .optional($0, .boolean) })
    }
    return .object(
      .optional(
        "push",
        switches(
          "enabled", "bookingUpdates", "paymentNotifications", "promotions", "serviceReminders",
          "providerUpdates", "reviewReminders")),
      .optional(
        "email",
        switches(
          "enabled", "bookingConfirmations", "invoices", "weeklySummary", "promotions",
          "newsletter")),
      .optional(
        "sms", switches("enabled", "bookingConfirmations", "serviceReminders", "paymentUpdates")),
      .optional(
        "dnd",
        .object(
          .optional("enabled", .boolean), .optional("startTime", .localTimeOfDay),
          .optional("endTime", .localTimeOfDay))),
      .optional("inApp", switches("sound", "vibration", "badgeCount")))
  }
}
