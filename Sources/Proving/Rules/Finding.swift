import Reminders

/// A world that breaks a rule. A world is a made-up list of events that a simulation plays.
struct Finding: Sendable {
  let rule: ProofRule
  /// The identifier of the reminder that breaks the rule.
  let reminder: String
  /// The fault, as a sentence.
  var fault: String
  /// The world whose simulation shows the fault.
  let world: World
  /// The lines of the world's timeline that break the rule.
  var lines: [TimelineEntry] = []
  /// The lines that the world lacks because of the fault.
  var missing: [TimelineEntry] = []

  /// The rule and the reminder, which stay the same when the world is shrunk.
  var identity: Identity { Identity(rule: rule, reminder: reminder) }

  /// Identifies the findings that count as one.
  struct Identity: Hashable, Sendable {
    let rule: ProofRule
    let reminder: String
  }
}
