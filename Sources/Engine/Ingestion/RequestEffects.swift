import CivilTime
import Reminders

/// The effects that the events of one request may have on a recipient's notifications. The effects
/// are decided at the end of the request, because its later events may cancel them (rule E6).
struct RequestEffects {
  /// The types and times of the events that may end delivered notifications, in order of arrival.
  var endings: [(type: String, time: Instant)] = []
  /// Whether an event may end occurrences about which other recipients got messages.
  var endsRelays = false
  /// Whether an event may end the absence of a device.
  var mayEndAbsence = false
}
