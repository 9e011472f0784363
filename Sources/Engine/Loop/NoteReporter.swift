package import CivilTime
import Outbox
package import Reminders
import Store
import Systemd

/// Reports outcomes of occurrences, failed deliveries and outages to the journal (rule S3). Fields
/// of the entries allow a search by recipient, reminder or notification.
struct NoteReporter: Sendable {
  let journal: Journal

  func report(_ notes: OccurrenceNotes) {
    guard notes.isBurst else {
      for note in notes.notes { report(note) }
      return
    }
    let bundled = notes.bundled == 0 ? "" : "\(notes.bundled) are in digests, "
    journal.send(
      .notificationsSummarized,
      "\(notes.count) reminders were due at once: \(notes.delivered) go out, \(bundled)"
        + "\(notes.held) are held, \(notes.dropped) are dropped")
  }

  /// Writes one entry for all refused submissions of an engine cycle, because a faulty app may
  /// submit many invalid events.
  func report(_ refused: [FinishedSubmission]) {
    let examples = refused.prefix(3).map { "submission \($0.number): \($0.refusal ?? "")" }
    let unlisted = refused.count - examples.count
    let ending = unlisted > 0 ? "; and \(unlisted) more" : ""
    let reason = examples.joined(separator: "; ") + ending
    journal.send(
      .submissionsRefused, "submissions of apps were rejected: \(reason)",
      fields: [(.reason, reason)])
  }

  func report(_ ended: [EndedReminder]) {
    let reminders = ended.map {
      "\($0.reminder): \($0.occurrences) occurrences of \($0.people) people"
    }
    let list = reminders.joined(separator: "; ")
    journal.send(
      message: "the catalogs end occurrences that the previous ones had planned: \(list)",
      priority: .warning, fields: [(.reason, list)])
  }

  func report(_ recipient: SetAsideRecipient) {
    let reason = "\(recipient.overrun)"
    journal.send(
      message: "\(recipient.name) is set aside: \(reason); nothing is sent to this recipient until "
        + "planning succeeds; it is tried again at \(recipient.retry) and with each event",
      priority: .error, fields: [(.recipient, recipient.name), (.reason, reason)])
  }

  func report(outage: SinkOutage, of sink: String) {
    journal.send(
      .sinkFailing, "\(sink) is down: \(outage.description)",
      fields: [(.sink, sink), (.reason, outage.description)])
  }

  func report(_ note: DeliveryNote) {
    switch note {
    case .retried(let retry, let until, let reason):
      journal.send(
        .deliveryRetried, "\(subject(retry)) failed and is retried: \(reason)",
        fields: fields(retry, reason) + [(.until, until.description)])
    case .movedOn(let retry, let next, let reason):
      let channel = next.delivery.channel
      let onChannel = channel == retry.delivery.channel ? "" : " on \(channel.name)"
      journal.send(
        .deliveryMovedOn,
        "\(subject(retry)) failed; \(next.sink) takes over\(onChannel): \(reason)",
        fields: fields(retry, reason))
    case .dead(let retry, let reason):
      journal.send(
        .deliveryDead, "\(subject(retry)) is given up: \(reason)",
        fields: fields(retry, reason))
    case .recovered(let sink):
      journal.send(.sinkRecovered, "\(sink) accepts deliveries again", fields: [(.sink, sink)])
    case .analyticsRejected(let count, let sink, let reason):
      journal.send(
        message: "\(sink) rejected \(count) analytics events, which are skipped: \(reason)",
        priority: .warning, fields: [(.sink, sink), (.reason, reason)])
    case .analyticsRetried(let sink, let until, let reason):
      journal.send(
        message: "\(sink) did not accept an analytics event, which is retried: \(reason)",
        priority: .warning,
        fields: [(.sink, sink), (.reason, reason), (.until, until.description)])
    case .orphaned(let count, let sink):
      journal.send(
        .deliveriesOrphaned,
        "\(sink) had \(count) unanswered deliveries when the service ended; they are attempted "
          + "again",
        fields: [(.sink, sink)])
    }
  }

  private func subject(_ retry: Retry) -> String {
    let delivery = retry.delivery
    return "\(delivery.reminder) for \(delivery.recipient) on \(delivery.channel.name) "
      + "by \(retry.sink)"
  }

  private func fields(
    _ retry: Retry, _ reason: String
  ) -> [(name: JournalField, value: String)] {
    [
      (.recipient, retry.delivery.recipient), (.notification, retry.delivery.identifier),
      (.channel, retry.delivery.channel.name), (.sink, retry.sink), (.reason, reason),
    ]
  }

  private func report(_ note: OccurrenceNote) {
    var fields: [(name: JournalField, value: String)] = [
      (.recipient, note.recipient), (.reminder, note.reminder), (.verdict, note.verdict),
      (.channel, note.channels.channels.map(\.name).joined(separator: ",")),
    ]
    // A field for each sink, so that entries can be searched by one sink's name.
    fields += note.sinks.map { (.sink, $0) }
    if let notification = note.notification { fields.append((.notification, notification)) }
    fields.append((.reason, note.reasons.joined(separator: ",")))
    let subject = "\(note.reminder) for \(note.recipient)"
    let reasons = note.reasons.joined(separator: ", ")
    switch note.kind {
    case .delivered:
      journal.send(.notificationDelivered, "\(subject) goes out", fields: fields)
    case .bundled:
      journal.send(
        .notificationDelivered, "\(subject) goes out as part of a digest", fields: fields)
    case .held(let until):
      fields.append((.until, until.description))
      journal.send(
        .notificationHeld, "\(subject) is held until \(until) by \(reasons)", fields: fields)
    case .dropped:
      let runNote = note.runLength > 1 ? " (\(note.runLength) in a row)" : ""
      journal.send(
        .notificationDropped, "\(subject) is dropped: \(reasons)\(runNote)", fields: fields)
    }
  }
}

extension OccurrenceNote {
  var verdict: String {
    switch kind {
    case .delivered: "delivered"
    case .bundled: "bundled"
    case .held: "held"
    case .dropped: "dropped"
    }
  }
}

/// A report about an occurrence (rule S3): without title, body or address.
package struct OccurrenceNote: Sendable {
  package enum Kind: Sendable {
    /// The occurrence passed the gates and is sent.
    case delivered
    /// The occurrence is sent as part of a digest.
    case bundled
    /// Gates hold the occurrence, according to their current findings until this instant.
    case held(until: Instant)
    /// A gate dropped the occurrence.
    case dropped
  }

  package var kind: Kind
  package var recipient: String
  package var reminder: String
  package var channels: ChannelSet
  /// The first sinks of the channels' routes, each once.
  package var sinks: [String]
  /// The id of the notification; nil for a held occurrence.
  package var notification: String?
  /// The names of the gates that held or dropped the occurrence.
  package var reasons: [String]
  /// The instant for which the occurrence was planned.
  package var planned: Instant
  /// The number of consecutive occurrences; more than one only for missed ones.
  package var runLength = 1
}

/// The reports of one engine cycle: one for each occurrence, or only counts if there are too many.
package struct OccurrenceNotes: Sendable {
  /// The maximum number of occurrences that are reported individually.
  package static let individualMax = DeliveryNotes.individualMax

  /// The first reports, up to `individualMax`.
  package private(set) var notes: [OccurrenceNote] = []
  /// The number of delivered occurrences. The next three properties count the other results.
  package private(set) var delivered = 0
  package private(set) var bundled = 0
  package private(set) var held = 0
  package private(set) var dropped = 0

  package init() {}

  package var count: Int { delivered + bundled + held + dropped }

  /// Whether there are too many occurrences to report individually.
  package var isBurst: Bool { count > Self.individualMax }

  /// Counts an occurrence, and adds its report unless there are too many.
  ///
  /// - Parameter note: returns the report; called only if occurrences are reported individually.
  mutating func add(_ kind: OccurrenceNote.Kind, _ note: () -> OccurrenceNote) {
    switch kind {
    case .delivered: delivered += 1
    case .bundled: bundled += 1
    case .held: held += 1
    case .dropped: dropped += 1
    }
    if count <= Self.individualMax { notes.append(note()) }
  }
}
