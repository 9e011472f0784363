import CivilTime
import JSON
import Reminders
import Testing

/// A recipient with the shipped catalog `rooms`, to whom events about the actions of other people
/// are reported.
struct Room {
  var player: Player

  init(at start: String = "2025-07-04 12:00", _ name: String = "sarah") throws {
    let planner = try Fixtures.planner(catalog: Fixtures.shipped("rooms"))
    player = Player(planner: planner, now: try utc(start), name: name)
  }

  static func person(_ name: String, id: String? = nil) -> JSONValue {
    [
      "id": .string(id ?? "id-\(name)"), "username": .string(name),
      "firstName": .string(name.prefix(1).uppercased() + name.dropFirst()), "avatarUrl": nil,
    ]
  }

  static func place(_ name: String) -> JSONValue {
    ["id": .string("room-\(name)"), "name": .string(name)]
  }

  /// Returns the member `elements` of an event, with this many elements of each type.
  static func elements(photos: Int = 0, videos: Int = 0, notes: Int = 0) -> JSONValue {
    let types =
      Array(repeating: "PHOTO", count: photos) + Array(repeating: "VIDEO", count: videos)
      + Array(repeating: "NOTE", count: notes)
    return .array(types.map { ["type": .string($0)] })
  }

  /// Reports that a person has added elements to a room.
  mutating func add(
    _ elements: JSONValue, by name: String = "renee", to room: String = "Awesome Fun",
    at time: String? = nil
  ) throws {
    try player.take(
      "element.added",
      ["room": Self.place(room), "actor": Self.person(name), "elements": elements],
      at: time.map { try utc($0) })
    player.advance(to: player.now)
  }

  /// Reports an event about a comment.
  ///
  /// - Parameters:
  ///   - type: the event's type, such as "comment.added".
  ///   - comment: the id of the comment.
  mutating func comment(
    _ type: String, _ comment: String = "1", by name: String = "pete", _ preview: String = "Hi",
    at time: String? = nil
  ) throws {
    var data: JSONObject = [
      "room": Self.place("Italy Trip"), "actor": Self.person(name), "preview": .string(preview),
    ]
    if type != "comment.liked" { data["comment"] = .string(comment) }
    try player.take(type, .object(data), at: time.map { try utc($0) })
    player.advance(to: player.now)
  }

  mutating func advance(to time: String) throws { player.advance(to: try utc(time)) }

  /// Returns a text for each delivery on a channel, such as "12:00 pete liked your room: Italy".
  func texts(on channel: Channel) -> [String] {
    player.entries.filter { $0.channels.contains(ChannelSet(channel)) && $0.outcome == .delivered }
      .map { "\($0.at.description.dropFirst(11).prefix(5)) \($0.body)" }
  }

  /// Returns the details of the in-app notifications.
  func details() throws -> [JSONValue] {
    try player.entries.filter { $0.channels.contains(ChannelSet(.inapp)) }
      .map { try JSONParser.parse($0.details) }
  }
}
