import Reminders

/// A world in which a rule is broken.
struct Finding: Sendable {
  let rule: ProofRule
  /// The reminder that breaks it.
  let reminder: String
  /// The fault, as a sentence.
  var fault: String
  /// The world that shows it.
  let world: World
  /// The lines of the world's timeline that break the rule.
  var lines: [TimelineEntry] = []
  /// The lines that the world lacks because of the fault.
  var missing: [TimelineEntry] = []

  /// The properties that a shrunk world keeps.
  var identity: Identity { Identity(rule: rule, reminder: reminder) }

  struct Identity: Hashable, Sendable {
    let rule: ProofRule
    let reminder: String
  }
}
