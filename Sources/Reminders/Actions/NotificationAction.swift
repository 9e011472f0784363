package import CivilTime

/// An action that a notification offers to its recipient (rule G13).
package struct NotificationAction: Hashable, Sendable {
  package enum Effect: Hashable, Sendable {
    /// Reports an event. `undo` is the event that reverses it; nil if there is none.
    case event(ActionEvent, undo: ActionEvent?)
    /// Snoozes the notification by a span.
    case snooze(TimeSpan)
    /// Changes the recipient's preferences.
    case settings([SettingChange])
  }

  /// The name in the catalog, unique among the actions of a reminder.
  package let name: String
  package let titles: ActionTitles
  package let effect: Effect

  /// Whether the action reports fields of the event that triggered the occurrence.
  var namesFields: Bool {
    guard case .event(let event, let undo) = effect else { return false }
    return !event.fields.isEmpty || undo?.fields.isEmpty == false
  }
}
