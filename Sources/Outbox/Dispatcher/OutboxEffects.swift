package import CivilTime
package import Reminders
package import Store

/// What the outbox has decided: to be written in the unit of work under way, and told of when that
/// is on disk (rule D1).
package struct OutboxEffects: Sendable {
  package var changes = DeliveryChanges()
  package var progress: [LaneProgress] = []
  package var usage = Usage()
  package var notes = DeliveryNotes()

  package init() {}

  mutating func keep(_ attempt: Attempt, isFirst: Bool) {
    if isFirst {
      changes.firstAttempts.append(attempt)
    } else {
      changes.laterAttempts.append(attempt)
    }
  }
}

/// What the store and people's facts say of deliveries, which the outbox does not know.
package struct DeliveryKnowledge: Sendable {
  /// The notifications that are there: the recipients of others have been erased.
  package var recorded: Set<Int64>
  /// How far the notifications have come that no other sink carries and whose channel may have a
  /// fallback.
  package var reaches: [Int64: NotificationReach] = [:]
  /// The channels that may take over, the first choice first; of what no other sink carries.
  package var fallbacks: [DeliveryChanges.Key: [Channel]] = [:]

  package init(recorded: Set<Int64>) {
    self.recorded = recorded
  }

  /// Changes how far a notification has come, together with the others of its occurrence: a batch
  /// may have several of them.
  mutating func changeReach(
    of delivery: Delivery, _ change: (inout NotificationReach) -> Void
  ) {
    let companions = reaches[delivery.notification]?.companions ?? []
    for number in companions.union([delivery.notification]) {
      if var reach = reaches.removeValue(forKey: number) {
        change(&reach)
        reaches[number] = reach
      }
    }
  }

  /// Returns the channel that takes over from a delivery that has failed; nil if there is none, or
  /// while another channel has reached the person or may still do so.
  ///
  /// - Parameter failing: the sinks in an outage that are not waited for.
  func fallback(of delivery: Delivery, notWaitingFor failing: Set<String>) -> Channel? {
    let channels = fallbacks[DeliveryChanges.Key(delivery)] ?? []
    let reach = reaches[delivery.notification] ?? NotificationReach()
    return reach.fallback(among: channels, from: delivery.channel, notWaitingFor: failing)
  }
}

/// What there is to tell of deliveries and sinks (rule S3).
package enum DeliveryNote: Sendable {
  /// An attempt failed, and there is going to be another at an instant by the same sink.
  case retried(Retry, until: Instant, reason: String)
  /// A sink does not have it; another has its turn, perhaps on another channel.
  case movedOn(Retry, to: Retry, reason: String)
  /// No sink and no channel is left to try.
  case dead(Retry, reason: String)
  case recovered(sink: String)
  /// A sink will never take so many analytics events, which are passed over.
  case analyticsRejected(count: Int, sink: String, reason: String)
  /// What is behind an analytics event waits until that is tried again.
  case analyticsRetried(sink: String, until: Instant, reason: String)
  /// So many were with a sink when the service ended without an answer.
  case orphaned(count: Int, sink: String)
}

/// What there is to tell of one unit of work: each, as long as they are not too many.
package struct DeliveryNotes: Sendable {
  /// As many are told one by one; journald takes some ten thousand entries a second, and with more
  /// it would drop what matters with the rest.
  package static let individually = 200

  package private(set) var notes: [DeliveryNote] = []

  package init() {}

  /// More are in the metrics alone.
  package mutating func add(_ note: DeliveryNote) {
    if notes.count < Self.individually { notes.append(note) }
  }

  package mutating func add(_ other: DeliveryNotes) {
    for note in other.notes { add(note) }
  }
}
