import JSON
import Outbox
import Reminders

extension Component {
  static var statusSchema: Schema {
    .object(
      .init("version", .text), .init("now", .instant), .init("started", .instant),
      .init("recipients", .count), .init("pending", .count),
      .init("due", .count.described("Recipients whose instant has come")),
      .init("replanning", .count.described("Recipients who are to be planned anew")),
      .init("deadLetters", .count), .init("next", next.orNull),
      .init("lanes", .list(lane)),
      .init(
        "analytics",
        lane.orNull.described(
          "The lane of analytics events, beside its sink's; 10,000 that wait are as many or more")),
      .init(
        "routes",
        Schema.object(
          Channel.allCases.map { .optional($0.name, .list(.text)) }
            + [.optional("analytics", .list(.text))]
        ).described("Which sinks carry each channel, in order of fallback, and analytics")),
      .init("events", events.described("What became of events since the start")),
      .init("lateness", histogram.described("How late recipients had their turn, in seconds")),
      .init("watchdog", .list(part)),
      .init("catalogs", .list(.text)), .init("zoneDatabase", .text), .init("defaultZone", .text),
      .init(
        "dataWarnings",
        Schema.list(.text).described("Holidays that end within a year, and time zones that are old")
      ),
      .init("storeBytes", .count.described("What the store takes on disk")),
      .init("fleet", fleetSummary.orNull.described("Null unless the store is in PostgreSQL")),
      .init(
        "storageFailure",
        Schema.text.orNull.described("Why nothing can be written, and nothing is taken in")),
      .init("loss", loss.orNull.described("What had been acknowledged and is gone")),
      .init(
        "erasureOpen",
        Schema.instant.orNull.described(
          "Since when somebody is erased who may still be read in the store's files")),
      .init(
        "clockHold",
        Schema.instant.orNull.described(
          "What was recorded last, while the clock is behind that and nothing fires")),
      .init(
        "clockLeap",
        Schema.instant.orNull.described(
          "What the clock says since it leapt ahead, while that is not believed and nothing goes "
            + "out")),
      .init(
        "reloadFailure",
        Schema.text.orNull.described(
          "Why what the files say is not in force: the last reload or the start found it unsound")))
  }

  private static var loss: Schema {
    .object(
      .init("events", .count), .init("notifications", .count),
      .init("since", Schema.instant.orNull.described("When the last event came that is left")),
      .init("until", Schema.instant.orNull.described("When the last was acknowledged")))
  }

  private static var events: Schema {
    .object(
      .init("accepted", .count), .init("duplicate", .count), .init("refused", .count),
      .init("unanswered", .count.described("Not looked at, for nothing could be written")))
  }

  private static var histogram: Schema {
    .object(
      .init("bounds", .list(.seconds).described("Ascending")),
      .init(
        "counts",
        .list(.count).described("For each bound how many it is the lowest for; last the others")))
  }

  private static var part: Schema {
    .object(
      .init("part", .text),
      .init("age", .seconds.described("For how long it has owed a sign of progress")),
      .init("allowance", .seconds.described("How long it may")),
      .init("vital", .boolean.described("Whether the service is restarted for it")))
  }

  private static var next: Schema {
    .object(.init("reminder", .text), .init("recipients", .count), .init("at", .instant))
  }

  private static var lane: Schema {
    .object(
      .init("sink", .text),
      .init("type", .text.described("As the configuration calls it").example("webhook")),
      .init("paused", .boolean.described("Whether it is handed nothing, as an operator wishes")),
      .init("waiting", .count.described("Decided, and not answered for by the sink")),
      .init("inFlight", .count.described("Of these, with the sink")),
      .init("retrying", .count), .init("deadLetters", .count),
      .init("oldestWaiting", Schema.instant.orNull.described("When it was decided")),
      .init("oldestRetry", Schema.instant.orNull.described("When it was decided")),
      .init("nextRetry", Schema.instant.orNull),
      .init("breaker", .word(BreakerState.allCases.map(\.rawValue))),
      .init("failingSince", Schema.instant.orNull),
      .init("nextAttempt", Schema.instant.orNull.described("While the breaker is open")),
      .init("failure", Schema.text.orNull.described("What the sink said, while it fails")),
      .init("lastFailure", lastFailure.orNull), .init("answers", answers),
      .init(
        "latency",
        histogram.described("How many seconds batches were with the sink that it answered for")),
      .init("lastHour", lastHour))
  }

  /// In memory, as /v1/activity has it for a day.
  private static var lastHour: Schema {
    .object(
      .init("delivered", Schema.list(.count).described("In each of 60 minutes, the oldest first")),
      .init("failed", Schema.list(.count).described("To be tried again, or rejected")))
  }

  private static var lastFailure: Schema {
    .object(.init("at", .instant), .init("reason", .text))
  }

  /// Since the start.
  private static var answers: Schema {
    .object(
      .init("delivered", .count), .init("retried", .count), .init("rejected", .count),
      .init("outages", .count.described("Batches of which the sink took nothing")),
      .init(
        "orphaned",
        .count.described("With the sink when the service last ended, and attempted again")),
      .init(
        "setAside",
        .count.described("Dead letters since the start, for the service died of them")))
  }

  static var tokenSchema: Schema {
    .object(
      .init("id", .text), .init("name", .text), .init("scope", .text.example("recipient:u1")),
      .init("status", .word(["valid", "expired", "revoked"])), .init("created", .instant),
      .init("expires", Schema.instant.orNull), .init("revoked", Schema.instant.orNull),
      .init(
        "lastUsed",
        Schema.instant.orNull.described(
          "When it last let its bearer in; what was before the service started, to the hour")),
      .optional("token", .text.described("The secret; only in the answer to its maker")))
  }
}

extension Component {
  static var analyticsPageSchema: Schema {
    let event = Schema.object(
      .init("id", .text), .init("recipient", .recipient), .init("time", .instant),
      .init("name", .text.example("dnd_enabled")), .init("parameters", .object))
    return .object(.init("events", .list(event)), .init("next", Schema.text.orNull))
  }

  static var usageSchema: Schema {
    let sent = Schema.count.described("Let out by the gates; on its way until it is one of these")
    let ends = ["delivered", "failed"].map { Schema.Property($0, .count) }
    let others = ["bundled", "held"].map { Schema.Property($0, .count) }
    let counts = [.init("planned", .count), .init("sent", sent)] + ends + others
    let answers = ["opened", "dismissed", "switchedOff"].map { Schema.Property($0, .count) }
    let drops = Schema.object(Gate.allCases.map { .optional($0.reason, .count) })
    let row = Schema.object(
      [.init("category", .text), .init("channel", .text), .init("hour", .integer(0...23))]
        + counts + [.init("dropped", drops.described("By the gate that dropped it"))] + answers)
    return .object(
      .init("from", .date), .init("to", .date), .init("usage", .list(row)),
      .init("presets", Schema.object.described("How often each was applied")))
  }
}

extension Component {
  static var listedRecipientSchema: Schema {
    .object(
      .init("recipient", .recipient), .init("pending", .count),
      .init("due", Schema.instant.orNull.described("When something is due next")))
  }

  static var exportSchema: Schema {
    let device = Schema.object(
      .init("deviceId", .text), .init("platform", .text), .init("token", Schema.text.orNull),
      .init("since", .instant))
    let mark = Schema.object(
      .init("type", .text), .init("first", .instant), .init("last", .instant),
      .optional("highest", Schema(type: "integer")),
      .optional("numbers", .list(Schema(type: "integer"))))
    return .object(
      .init("recipient", .recipient), .init("exported", .instant),
      .init("created", Schema.instant.orNull), .init("profile", .object),
      .init("devices", .list(device)), .init("permissions", .object),
      .init("preferences", .reference(.preferences)), .init("remembered", .list(mark)),
      .init("pending", .list(.reference(.pending))), .init("analytics", .list(.object)),
      .init("events", .list(keptEvent)),
      .init("notifications", .list(keptNotification)),
      .optional("refused", .list(refused).described("Submitted by SQL and not taken in")))
  }

  private static let refused = Schema.object(
    .init("submitted", .instant), .init("event", .text), .init("reason", .text))

  static var keptEvent: Schema {
    .object(
      .init("id", .text), .init("source", .text), .init("type", .text), .init("time", .instant),
      .init("received", .instant), .init("data", Schema.object.orNull))
  }

  private static var keptNotification: Schema {
    .object(
      .init("id", .text), .init("reminder", .text), .init("category", .text),
      .init("title", .text), .init("body", .text), .optional("details", .object),
      .optional("members", .list(.text)), .init("planned", .instant), .init("at", .instant),
      .init("expires", .instant), .init("channels", channels), .init("silent", .boolean),
      .init("outcome", .text), .init("gates", .object),
      .optional("missed", missed), .init("retries", .list(.object)),
      .init("attempts", .list(attempt)))
  }
}
