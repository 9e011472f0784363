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
  /// What reached its planned instant and waits for a gate to open, in order of planned instant.
  package var underWay: [UnderWay] = []

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
    package var planned: Instant
    /// When its gates are applied next.
    package var due: Instant
    /// The gates that have held it so far.
    package var holds: GateTrace
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
