/// The tables of recipients and events.
extension TableDescription {
  package static let recipient = TableDescription(
    "recipient",
    columns: [.integer("id"), .name("name"), .integer("last_event"), .bytes("facts")])

  package static let request = TableDescription(
    "request",
    comment: """
      Requests of a recipient that do not fit into the row with the facts.
      Each row holds some of them. Its number is the event of its first request.
      """,
    columns: [.integer("part"), .integer("recipient"), .bytes("requests")])

  package static let factBase = TableDescription(
    "fact_base",
    comment: """
      The facts that follow from a recipient's removed events (rule H30).
      Only pruning and erasures write it.
      """,
    columns: [
      .integer("recipient"),
      .optionalInteger("expiry", "When the first of the base's requests expires"),
      .bytes("base"),
    ])

  package static let schedule = TableDescription(
    "schedule",
    comment:
      "Separate from the recipient, because it changes at every firing and its rows are small.",
    columns: [
      .integer("recipient"), .optionalInteger("due"), .integer("pending"),
      .integer("head", "The latest notification."),
      .integer("recent", "How many notifications are recent, in the inbox, and unread there."),
      .integer("items"), .integer("unread"),
      .integer("cleared", "The last cleared notification."),
      .bytes("progress"),
    ])

  package static let phone = TableDescription(
    "phone",
    comment: "By which telephone number a recipient is found, for replies (rule D14).",
    columns: [
      .integer("recipient"),
      .integer("number", "A keyed hash of the number. A recipient that is found is compared."),
    ])

  package static let tombstone = TableDescription(
    "tombstone", key: ["name", "rest"],
    comment: """
      When the recipient with a name was last erased (rule H4).
      The name must not be stored, so two keyed hashes identify it.
      The second is compared in place of the name (rule E5).
      """,
    columns: [.integer("name"), .integer("rest"), .integer("time")])

  package static let token = TableDescription(
    "token",
    columns: [
      .text("id"), .text("name"),
      .text(
        "scope",
        "The bearer's permissions: admin, support, observer, or \"recipient:\" and an id (rule H5)."
      ),
      .bytes("digest"), .integer("created"), .optionalInteger("expiry"),
      .optionalInteger("revoked"), .optionalInteger("last_use", "Rounded to the hour."),
    ])

  package static let adoption = TableDescription(
    "adoption",
    comment: "When catalogs and settings were adopted that decide differently (rule H31).",
    columns: [
      .integer("at"), .text("catalogs", "The fingerprint of the catalogs' texts."),
      .text("zones", "The release of the tz database."), .text("settings"),
    ])

  package static let adoptedText = TableDescription(
    "adopted_text",
    comment: "The texts of adopted catalogs, each once, with the policies.",
    columns: [.text("catalogs"), .text("text")])

  package static let event = TableDescription(
    "event",
    columns: [
      .integer("id"),
      .integer(
        "identity",
        "The keyed hash of (source, identifier). Events with equal hashes are compared."),
      .integer("recipient"), .integer("previous"),
      .integer("time", "For an erased event: the second hash of its identity."),
      .flag("is_time_given"), .integer("received"), .text("source"), .text("identifier"),
      .text("type"), .bytes("data"),
    ])
}

/// The tables of notifications.
extension TableDescription {
  package static let message = TableDescription(
    "message",
    comment: """
      Messages with the catalog's names at that time.
      A shared message is found by its hash.
      A private message of one recipient has no hash.
      """,
    columns: [
      .integer("id"), .optionalInteger("hash"), .text("reminder"), .text("category"),
      .text("title"), .text("body"), .text("details"), .text("members"),
      .text("discreet", "The text for channels that other people may see, or empty."),
      .smallInteger("discreet_channels", "The channels that show it to everyone, one bit each."),
      .text("trace", "The trace of the event that caused it, or empty."),
    ])

  package static let notification = TableDescription(
    "notification",
    columns: [
      .integer("id"), .integer("recipient"), .integer("reminder"), .integer("occurrence"),
      .smallInteger("channel_group"), .integer("planned"), .integer("at"), .integer("expiry"),
      .smallInteger("outcome"), .smallInteger("channels"),
      .mediumInteger(
        "flags",
        "Bit 0: silent. From bit 1: the recipient's hints. From bit 9: the local time's offset."),
      .integer(
        "trace", "Two bits for each gate's verdict. From bit 32: the length of a run of misses."),
      .integer("message"),
      .integer("previous", "The recipient's previous notification."),
      .integer("leader", "The first notification of the same occurrence or batch, or 0."),
      .optionalInteger("dismissed"),
      .smallInteger("fallback", "The fallback channels that replaced a failed one."),
      .integer(
        "round", "0, or the event that requested the occurrence again after its delivery."),
    ])

  package static let inbox = TableDescription(
    "inbox", key: ["recipient", "item"],
    columns: [
      .integer("recipient"), .integer("item", "The notification that the item shows."),
      .integer("message"), .integer("at"), .optionalInteger("read"),
    ])
}

/// The tables of deliveries.
extension TableDescription {
  package static let lane = TableDescription(
    "lane",
    columns: [
      .text("sink"),
      .integer("through", "The cursor: everything up to here is answered or in retry."),
      .smallInteger(
        "channels",
        "The channels for which the sink is the first in the route, one bit each."),
      .integer("last_dispatched", "The last notification that may have been dispatched."),
    ])

  package static let retry = TableDescription(
    "retry", key: ["notification", "channel"],
    comment: """
      Retries. A delivery has at most one, so the sink is not part of the key.
      Without a due time it is a dead letter.
      """,
    columns: [
      .integer("notification"), .smallInteger("channel"), .text("sink"), .integer("attempts"),
      .optionalInteger("due"), .text("reason"),
      .optionalInteger(
        "holder",
        "The node of a fleet, or the start of the service, that dispatched it and has no answer."),
      .integer("deaths", "The number of crashes while it was in flight."),
      .optionalInteger(
        "withdrawn", "When it was decided to withdraw the accepted delivery (rule D16)."),
    ])

  package static let attempt = TableDescription(
    "attempt", key: ["notification", "channel", "number"],
    comment: """
      Deliveries that succeeded at once without a remark from the sink are not recorded here.
      The number 0 is the latest report about the delivery, and no attempt.
      The numbers -2 and -1 are the decision and the result of its withdrawal.
      """,
    columns: [
      .integer("notification"), .smallInteger("channel"), .integer("number"), .text("sink"),
      .integer("at"), .smallInteger("verdict"), .optionalText("status"), .text("excerpt"),
      .optionalInteger("duration"), .text("reason"),
    ])
}

/// The tables of analytics events and of usage counts.
extension TableDescription {
  package static let analytics = TableDescription(
    "analytics_event", isNumbered: true,
    comment: """
      There are few rows, because recipients seldom change preferences.
      Numbers ascend and are not reused, so that a reader's cursor skips no event.
      """,
    columns: [
      .integer("id"), .integer("recipient"), .integer("time"), .text("name"),
      .bytes("parameters"),
    ])

  package static let usage = TableDescription(
    "usage", key: ["date", "category", "channel", "hour", "measure", "reason"],
    comment: """
      The counts are by the recipients' local dates and hours.
      The number of rows of a day depends on the kinds of notifications, not on their number.
      """,
    columns: [
      .integer("date"), .text("category"), .smallInteger("channel"), .smallInteger("hour"),
      .text("measure"), .smallInteger("reason"), .integer("count"),
    ])
}
