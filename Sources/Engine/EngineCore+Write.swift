package import Reminders
import Store

/// A write that is answered with what it changes (rule P5).
package struct Write: Sendable {
  package var event: Event
  /// What the recipient's preferences must still be at; nil for whatever they are.
  package var version: Int64?

  package init(event: Event, version: Int64? = nil) {
    self.event = event
    self.version = version
  }
}

/// What became of a write.
package enum WriteReceipt: Sendable {
  case done(Receipt, Consequences, version: Int64)
  /// Someone else has written since; nothing changed.
  case outdated(version: Int64)
}

extension EngineCore {
  /// Compares, takes in and answers in one turn, so that what is answered is what happened.
  func perform(
    _ write: Write, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> WriteReceipt {
    let name = write.event.recipient
    let before =
      try touched(name, turn, in: transaction)?.stored.recipient
      ?? Recipient(name: name, now: turn.now)
    let version = before.facts.preferencesVersion
    if let expected = write.version, expected != version { return .outdated(version: version) }
    let consequences = before.consequences(of: write.event, now: turn.now, planner: turn.planner)
    let receipt = try takeIn(write.event, &turn, in: transaction)
    let after = try touched(name, turn, in: transaction)?.stored.recipient ?? before
    return .done(receipt, consequences, version: after.facts.preferencesVersion)
  }
}
