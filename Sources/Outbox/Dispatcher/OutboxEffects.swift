package import CivilTime
package import Reminders
package import Store

/// The effects of the outbox's decisions. They are written in the current unit of work, and
/// reported when it is on disk (rule D1).
package struct OutboxEffects: Sendable {
  package var changes = DeliveryChanges()
  /// The changed progress of lanes, which are the queues of sinks.
  package var progress: [LaneProgress] = []
  /// The usage counts and the outcomes of the decisions.
  package var usage = Usage()
  package var notes = DeliveryNotes()

  package init() {}

  /// Adds the result of an attempt.
  ///
  /// - Parameter isFirst: whether it is the first attempt of its delivery.
  mutating func add(_ attempt: Attempt, isFirst: Bool) {
    if isFirst {
      changes.firstAttempts.append(attempt)
    } else {
      changes.laterAttempts.append(attempt)
    }
  }

  /// Adds what is counted and reported after the commit of other effects: usage and notes.
  package mutating func addReports(of other: OutboxEffects) {
    usage.add(other.usage)
    notes.add(other.notes)
  }
}

/// Data about deliveries from the store and the recipients' facts.
package struct DeliveryKnowledge: Sendable {
  /// The notifications that exist in the store. The notifications of erased recipients are missing.
  package var recorded: Set<Int64>
  /// The channels that have reached the recipient or still may, by notification. A delivery without
  /// a next sink on its channel needs them, because it may have a fallback channel.
  package var reaches: [Int64: NotificationReach] = [:]
  /// The channels that may take over, the preferred first, for deliveries that have no next sink on
  /// their channel.
  package var fallbacks: [DeliveryChanges.Key: [Channel]] = [:]

  package init(recorded: Set<Int64>) {
    self.recorded = recorded
  }

  /// Changes the `reaches` of a notification and of the other notifications of its occurrence. A
  /// batch may contain several of them.
  mutating func changeReach(
    of delivery: Delivery, _ change: (inout NotificationReach) -> Void
  ) {
    guard !reaches.isEmpty else { return }
    let companions = reaches[delivery.notification]?.companions ?? []
    for number in companions.union([delivery.notification]) {
      if var reach = reaches.removeValue(forKey: number) {
        change(&reach)
        reaches[number] = reach
      }
    }
  }

  /// Returns the channel that takes over from a delivery that has failed; nil if there is none.
  /// Also returns nil if another channel has reached the recipient, or may still do so.
  ///
  /// - Parameter failing: the sinks in an outage, for which the fallback does not wait.
  func fallback(of delivery: Delivery, notWaitingFor failing: Set<String>) -> Channel? {
    let channels = fallbacks[DeliveryChanges.Key(delivery)] ?? []
    let reach = reaches[delivery.notification] ?? NotificationReach()
    return reach.fallback(among: channels, from: delivery.channel, notWaitingFor: failing)
  }
}

/// Reports about deliveries and sinks (rule S3).
package enum DeliveryNote: Sendable {
  /// An attempt failed, and the same sink will repeat it.
  case retried(Retry, until: Instant, reason: String)
  /// A sink gave a delivery up, and another sink takes over, perhaps on another channel.
  case movedOn(Retry, to: Retry, reason: String)
  /// No sink and no channel is left to try.
  case dead(Retry, reason: String)
  case recovered(sink: String)
  /// A sink rejected this number of analytics events, which are skipped.
  case analyticsRejected(count: Int, sink: String, reason: String)
  /// An analytics event is retried later, and the events after it wait.
  case analyticsRetried(sink: String, until: Instant, reason: String)
  /// This number of deliveries was in flight at a sink when the service ended.
  case orphaned(count: Int, sink: String)
}

/// The notes of one unit of work, up to a limit.
package struct DeliveryNotes: Sendable {
  /// The limit of individual reports. journald accepts about ten thousand entries a second; beyond
  /// that rate it drops entries, including important ones.
  package static let individualMax = 200

  package private(set) var notes: [DeliveryNote] = []

  package init() {}

  /// Adds a note. Notes beyond the limit are only counted in the metrics.
  package mutating func add(_ note: DeliveryNote) {
    if notes.count < Self.individualMax { notes.append(note) }
  }

  package mutating func add(_ other: DeliveryNotes) {
    for note in other.notes { add(note) }
  }
}
