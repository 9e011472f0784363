package import CivilTime
import JSON

/// The data that an app gets about a notification, in addition to its text.
package struct Link: Hashable, Sendable {
  package enum Target: String, CaseIterable, Sendable {
    /// The place of the event, the profile of the person who caused it, or no page.
    case room, profile, none
  }

  /// The target that a tap opens.
  package var target: Target
  /// The flags of the event that the app gets, by name.
  package var flags: [Flag]

  package struct Flag: Hashable, Sendable {
    /// The field of the event with the flag.
    package var field: Symbol
    /// The name of the flag's member in the details.
    package var name: String
    /// The events that later change the flag for the actor; nil if it never changes.
    var switches: Switches?
  }

  /// The events that set and clear a flag.
  struct Switches: Hashable, Sendable {
    let set: Symbol
    let clear: Symbol
  }

  /// Returns the details of a message as JSON: actor, place, tap target, flags, and the batch's
  /// thumbnails and count.
  func json(_ details: Details) -> String {
    var object = JSONObject()
    let (person, place) = (details.person, details.place)
    object["actor"] = person?.json
    object["deepLink"] = [
      "type": .string(target.rawValue),
      "roomId": target == .room ? .text(place?.id) : .null,
      "actorId": .text(person?.id),
    ]
    if let place { object["roomName"] = .string(place.name) }
    for flag in flags { object[flag.name] = details.flag(flag.field).map { .bool($0) } }
    if let tally = details.tally {
      object["thumbnails"] = .array(tally.thumbnails.map(\.json))
      object["batchCount"] = .integer(Int64(clamping: tally.total))
    }
    return String(decoding: JSONWriter.canonical(.object(object)), as: UTF8.self)
  }
}

extension Person {
  fileprivate var json: JSONValue {
    [
      "id": .string(id), "username": .string(username), "firstName": .text(firstName),
      "avatarUrl": .text(avatarURL),
    ]
  }
}

extension Tally.Thumbnail {
  fileprivate var json: JSONValue { ["url": .string(url), "type": .string(sort)] }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension Details {
  fileprivate var person: Person? {
    for case .person(let person) in values.map(\.value) { return person }
    return nil
  }

  fileprivate var place: Place? {
    for case .place(let place) in values.map(\.value) { return place }
    return nil
  }

  fileprivate var tally: Tally? {
    for case .tally(let tally) in values.map(\.value) { return tally }
    return nil
  }

  fileprivate func flag(_ field: Symbol) -> Bool? {
    for detail in values where detail.field == field {
      if case .flag(let flag) = detail.value { return flag }
    }
    return nil
  }
}

/// The beginning of a text that a person wrote, on one line (rule N2).
enum Preview {
  /// The maximum number of characters, including the dots.
  static let charactersMax = 100
  private static let dots = "..."

  /// - Complexity: O(length of `text`).
  static func of(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard line.count > charactersMax else { return line }
    var beginning = line.prefix(charactersMax - dots.count)
    while beginning.last == " " { beginning.removeLast() }
    return beginning + dots
  }
}

/// The number on an app's icon (rule N6).
package enum Badge {
  /// - Parameters:
  ///   - unread: the number of unread items in the inbox.
  ///   - delivered: the number of notifications delivered on any channel and not dismissed.
  /// - Returns: the number, at least 0; nil if the recipient wants no badge.
  package static func count(_ settings: Settings, unread: Int, delivered: Int) -> Int? {
    guard settings.isOn(.badge) else { return nil }
    return max(0, countsDelivered(settings) ? delivered : unread)
  }

  /// Returns whether the badge counts delivered notifications.
  package static func countsDelivered(_ settings: Settings) -> Bool {
    settings[.badgeCounts] != 0
  }
}

extension PlanningContext {
  /// Returns the message with its flags updated by later events (rule N1).
  ///
  /// - Parameter sentAt: the instant at which the notification was sent.
  package func withCurrentFlags(_ message: Message, sentAt: Instant) -> Message {
    guard let link = catalog.reminder(Symbol(message.reminder))?.link,
      link.flags.contains(where: { $0.switches != nil }),
      var details = (try? JSONParser.parse(message.details))?.objectValue,
      let actor = details["actor"]?["id"]?.stringValue
    else { return message }
    for flag in link.flags {
      guard let isOn = isOn(flag, of: actor, since: sentAt) else { continue }
      details[flag.name] = .bool(isOn)
    }
    return message.with(
      details: String(decoding: JSONWriter.canonical(.object(details)), as: UTF8.self))
  }

  /// Returns the flag's value that later events have set; nil if none has changed it.
  private func isOn(_ flag: Link.Flag, of actor: String, since sentAt: Instant) -> Bool? {
    guard let switches = flag.switches else { return nil }
    let (set, clear) = (
      facts.item(switches.set, actor)?.stamp, facts.item(switches.clear, actor)?.stamp
    )
    guard let last = [set, clear].compactMap(\.self).max(), last.time >= sentAt else { return nil }
    return last == set
  }
}
