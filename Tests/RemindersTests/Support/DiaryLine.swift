import CivilTime
import JSON
import Reminders
import Testing

/// A line of a diary: a time, then an event, an action or an outcome.
struct DiaryLine {
  let text: String
  let time: Instant
  /// The first word after the time.
  let act: String
  /// The rest of the line.
  let argument: String
  /// The event's time if it arrives late; nil otherwise.
  let eventTime: Instant?

  init(_ text: String) throws {
    self.text = text
    let words = text.split(separator: " ", maxSplits: 3)
    try #require(words.count >= 3, "a line of a diary needs a date, a time and a word: \(text)")
    time = try utc("\(words[0]) \(words[1])")
    act = String(words[2])
    let rest = words.count > 3 ? String(words[3]) : ""
    let parts = rest.split(separator: "@ ", omittingEmptySubsequences: false)
    argument = parts[0].split(separator: " ").joined(separator: " ")
    eventTime = parts.count > 1 ? try utc(parts[1]) : nil
  }

  var isOutcome: Bool { [">", "x", "+", "!"].contains(act) }

  /// Returns the event of the line. Throws an error if the line is an action or an outcome.
  func event() throws -> (type: String, data: JSONValue) {
    switch act {
    case "created": return ("recipient.updated", ["name": "Amina"])
    case "relapse": return ("relapse", [:])
    case "checkin": return ("checkin.completed", [:])
    case "streak": return ("streak.started", [:])
    case "lesson": return ("lesson.completed", ["day": .integer(try number())])
    case "milestone": return ("milestone.reached", ["days": .integer(try number())])
    case "zone": return ("recipient.updated", ["timezone": .string(argument)])
    case "prefs": return ("preferences.updated", try JSONParser.parse(argument))
    case "on": return ("preferences.updated", groups { _ in ["enabled": true] })
    case "off": return ("preferences.updated", groups { _ in ["enabled": false] })
    case "quiet": return ("preferences.updated", ["quietHours": try quietHours()])
    case "event": return try eventOfAnyType()
    case "set": return ("preferences.updated", try timeChange())
    case "vacation": return ("vacation.started", ["until": .string(argument)])
    case "away": return ("vacation.started", try announcement())
    case "back": return ("vacation.ended", [:])
    case "stay": return ("vacation.ended", ["from": .string(argument)])
    case "deny": return ("permission.changed", permission("denied"))
    case "allow": return ("permission.changed", permission("granted"))
    case "device": return ("device.registered", device)
    case "undevice": return ("device.removed", ["deviceId": .string(argument)])
    case "email": return ("recipient.updated", ["email": .string(argument)])
    case "say": return ("notification.requested", try JSONParser.parse(argument))
    case "unsay": return ("notification.cancelled", ["notification": .string(argument)])
    case "opened": return ("notification.opened", ["notification": "n-1"])
    case "cancel": return ("pending.cancelled", ["reminder": .string(argument)])
    case "stop": return ("pending.cancelled", ["reminder": .string(argument), "series": true])
    case "resume": return ("pending.resumed", ["reminder": .string(argument)])
    case "renew": return ("pending.resumed", ["reminder": .string(argument), "series": true])
    case "snooze": return ("pending.snoozed", try snooze())
    default: throw UnknownAct(line: text)
    }
  }

  private struct UnknownAct: Error {
    let line: String
  }

  private var words: [String] { argument.split(separator: " ").map(String.init) }

  /// `on checkin lesson`: a change of several groups.
  private func groups(_ change: (String) -> JSONValue) -> JSONValue {
    var groups = JSONObject()
    for group in words { groups[group] = change(group) }
    return ["reminders": .object(groups)]
  }

  /// `set checkin 22:00`.
  private func timeChange() throws -> JSONValue {
    try #require(words.count == 2, "\"set\" needs a group and a time")
    return ["reminders": .object([words[0]: ["time": .string(words[1])]])]
  }

  /// `quiet 22:00 06:00`, `quiet 22:00 06:00 fri sat` or `quiet off`.
  private func quietHours() throws -> JSONValue {
    if argument == "off" { return ["enabled": false] }
    try #require(words.count >= 2, "\"quiet\" needs a start and an end")
    var hours: JSONObject = [
      "enabled": true, "start": .string(words[0]), "end": .string(words[1]),
    ]
    if words.count > 2 { hours["days"] = .array(words[2...].map { .string($0) }) }
    return .object(hours)
  }

  /// `away 2026-03-04 2026-03-06`.
  private func announcement() throws -> JSONValue {
    try #require(words.count == 2, "\"away\" needs a first and a last day")
    return ["from": .string(words[0]), "until": .string(words[1])]
  }

  private func permission(_ status: String) -> JSONValue {
    ["channel": .string(argument), "status": .string(status)]
  }

  private var device: JSONValue {
    ["deviceId": .string(argument), "platform": "ios", "token": "t-\(argument)"]
  }

  /// `snooze daily-checkin-reminder 30m`.
  private func snooze() throws -> JSONValue {
    try #require(words.count == 2, "\"snooze\" needs a reminder and a duration")
    return ["reminder": .string(words[0]), "for": .string(words[1])]
  }

  /// `event appointment.booked {"appointment": "a"}`: an event of any type.
  private func eventOfAnyType() throws -> (type: String, data: JSONValue) {
    let parts = argument.split(separator: " ", maxSplits: 1).map(String.init)
    let type = try #require(parts.first, "\"event\" needs a type")
    return (type, parts.count > 1 ? try JSONParser.parse(parts[1]) : [:])
  }

  private func number() throws -> Int64 {
    try #require(Int64(argument), "\"\(argument)\" is not a number")
  }

  static func format(_ entry: Player.Entry) -> String {
    let sign =
      switch entry.outcome {
      case .delivered: ">"
      case .dropped: "x"
      case .bundled: "+"
      }
    var text = "\(format(entry.at)) \(sign) \(entry.reminder)"
    // Push is the default.
    if entry.channels != ChannelSet(.push) {
      text += " by " + entry.channels.channels.map(\.name).joined(separator: "+")
    }
    if entry.isSilent { text += " silently" }
    if entry.planned != entry.at { text += " of \(format(entry.planned))" }
    if !entry.reasons.isEmpty { text += " (\(entry.reasons.joined(separator: ", ")))" }
    return text + " \"\(entry.title)\""
  }

  /// Returns a text such as "2026-03-02 21:00". Seconds and milliseconds are included only if they
  /// are not zero.
  static func format(_ instant: Instant) -> String {
    var text = instant.description.replacing("T", with: " ").dropLast()
    for zeros in [".000", ":00"] where text.hasSuffix(zeros) { text = text.dropLast(zeros.count) }
    return String(text)
  }

  static func withoutTitle(_ line: String) -> String {
    guard line.hasSuffix("\""), let start = line.firstRange(of: " \"") else { return line }
    return String(line[..<start.lowerBound])
  }
}
