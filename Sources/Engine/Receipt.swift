package import Reminders

/// What became of one event that was handed in.
package enum Receipt: Sendable {
  /// Taken in and on disk (rule E3).
  case accepted
  /// The same event had been taken in before; nothing changed (rule E1).
  case duplicate
  /// Not taken in; nothing changed.
  case refused(Refusal)
}
