import CivilTime
import JSON

/// One event of a world.
struct Act: Hashable, Sendable {
  enum Role: Sendable {
    /// The event describes the person, such as their zone and language.
    case profile
    /// The event switches on the reminders that the world is about.
    case setup
    /// The event changes when, where or whether the person gets notifications.
    case preference
    /// The event reports a fact that the catalog's reminders use.
    case fact
  }

  /// The event's number in its world, which is also its id.
  var number: Int
  var time: Instant
  var recipient: String
  var type: String
  var data: JSONObject
  var role: Role
  /// The identifier of the thing that the event is about; nil if the event names no thing.
  var thing: String?

  /// The event as apps report it.
  var document: JSONValue {
    [
      "specversion": "1.0", "id": .string("\(number)"), "source": "prove", "type": .string(type),
      "subject": .string(recipient), "time": .string(time.description), "data": .object(data),
    ]
  }
}
