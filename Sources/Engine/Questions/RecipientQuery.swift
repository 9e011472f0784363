package import CivilTime
package import Reminders
package import Store

/// Selects the current state of a recipient, from which callers derive values without the engine;
/// the answer is nil if the recipient is unknown.
package struct RecipientQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String

  package init(_ recipient: String) {
    self.recipient = recipient
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Recipient? {
    try questions.recipient(recipient)
  }
}

extension Questions {
  /// The current state of a recipient; nil if unknown.
  func recipient(_ name: String) throws(StoreError) -> Recipient? {
    try readers.read { try $0.recipient(named: name) }?.recipient
  }
}
