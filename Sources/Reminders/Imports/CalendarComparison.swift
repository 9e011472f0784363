/// How an event of a calendar differs from the facts of its recipient (rule E14).
package enum CalendarComparison: String, CaseIterable, Sendable {
  /// The facts do not contain the entity.
  case new
  /// The entity has another content.
  case changed
  /// The latest report of the entity has the same content.
  case known
  /// The entity's series was ended, and the event does not begin another.
  case ended
  /// The facts do not contain the entity, and no reminder would follow the event.
  case past

  /// Whether an import reports the event.
  package var isReported: Bool { self == .new || self == .changed }
}
