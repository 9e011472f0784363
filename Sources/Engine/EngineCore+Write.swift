package import Reminders
import Store

/// A write about one recipient that is answered with what it changes (rule P5).
package struct Write: Sendable {
  package var events: [Event]
  /// What the recipient's preferences must still be at; nil for whatever they are.
  package var version: Int64?

  package init(events: [Event], version: Int64? = nil) {
    self.events = events
    self.version = version
  }
}

/// What became of a write.
package enum WriteReceipt: Sendable {
  case done(Consequences, version: Int64)
  /// Not for this recipient; nothing changed.
  case refused(Refusal)
  /// Someone else has written since; nothing changed.
  case outdated(version: Int64)
}

extension EngineCore {
  /// Compares, takes in and answers in one turn, so that what is answered is what happened.
  func perform(
    _ write: Write, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> WriteReceipt {
    guard let name = write.events.first?.recipient else {
      return .refused(Refusal(path: "", "changes nothing; give at least one preference"))
    }
    let before =
      try person(named: name, &turn, in: transaction)?.stored.recipient
      ?? Recipient(name: name, now: turn.now)
    let version = before.facts.preferencesVersion
    if let expected = write.version, expected != version { return .outdated(version: version) }
    for event in write.events {
      do {
        try before.check(event, planner: turn.planner)
      } catch {
        turn.counters.count(.refused(error))
        return .refused(error)
      }
    }
    let consequences = before.consequences(of: write.events, now: turn.now, planner: turn.planner)
    for event in before.upToDate(write.events) { _ = try takeIn(event, &turn, in: transaction) }
    foldArrivals(&turn)
    let after = try person(named: name, &turn, in: transaction)?.stored.recipient ?? before
    return .done(consequences, version: after.facts.preferencesVersion)
  }
}
