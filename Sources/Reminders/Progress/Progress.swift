package import CivilTime

/// How far a recipient's reminders have come: what has been settled, and what is under way.
///
/// With the facts it determines everything pending. Occurrences planned after `cutoff` follow from
/// the facts alone; of the earlier ones only those under way are still open.
package struct Progress: Hashable, Sendable {
  /// Everything planned up to here is settled, under way, or was switched off at its time.
  package var cutoff: Instant
  /// The latest settled occurrence of each reminder, sorted by reminder.
  package var settled: [Settled] = []
  /// What waits for a gate to open or for a snooze to end, in the order in which it came to.
  package var underWay: [UnderWay] = []
  /// Occurrences that the person cancelled before their time.
  package var cancelled: [Cancelled] = []
  /// When something was lately delivered that counts towards interval and cap (rule V5),
  /// ascending.
  package internal(set) var recent: [Instant] = []

  package init(cutoff: Instant) {
    self.cutoff = cutoff
  }

  package struct Settled: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    /// The message last sent, so that the next one differs (rule I6).
    package var message: UInt8
  }

  /// An occurrence that has reached its planned instant but is not settled.
  package struct UnderWay: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var track: Track
    package var planned: Instant
    /// When its gates are applied next.
    package var due: Instant
    /// The gates that have held it so far.
    package var holds: GateTrace
    /// Whether the person chose its planned instant.
    package var isSnoozed = false
  }

  package struct Cancelled: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var planned: Instant
  }

  package func settled(_ reminder: Symbol) -> Settled? {
    settled.first { $0.reminder == reminder }
  }

  package func isUnderWay(_ reminder: Symbol, key: Int64) -> Bool {
    underWay.contains { $0.reminder == reminder && $0.key == key }
  }

  /// Notes that an occurrence is done with, whatever came of it.
  ///
  /// - Parameter message: the message that went out; nil keeps the one before in mind.
  package mutating func settle(_ reminder: Symbol, key: Int64, message: UInt8?) {
    guard let index = settled.firstIndex(where: { $0.reminder >= reminder }) else {
      settled.append(Settled(reminder: reminder, key: key, message: message ?? .max))
      return
    }
    if settled[index].reminder == reminder {
      settled[index].key = key
      settled[index].message = message ?? settled[index].message
    } else {
      let new = Settled(reminder: reminder, key: key, message: message ?? .max)
      settled.insert(new, at: index)
    }
  }
}

/// The ways out of an occurrence, which are gated apart: what appears in the app disturbs nobody
/// (rule V3). Raw values are stored: never renumber.
package enum Track: UInt8, CaseIterable, Sendable {
  case interrupting = 0
  case inapp = 1

  /// The channels that belong to it.
  package var channels: ChannelSet {
    switch self {
    case .interrupting: [ChannelSet(.push), ChannelSet(.email), ChannelSet(.sms)]
    case .inapp: ChannelSet(.inapp)
    }
  }
}
