package import CivilTime
import Holidays
package import JSON

/// Reads events from JSON (rule E1) and checks them against the catalog and the zones. After that,
/// an `Event` needs only the checks that depend on its recipient.
package struct EventReader: Sendable {
  let planner: Planner
  private let namespace: String?
  /// The span by which an app's clock may be ahead of the service's. A time further ahead is
  /// refused: until that time, other events would count as older and could not change the same
  /// facts.
  package static let clockAheadMax = TimeSpan.minutes(10)

  /// - Parameter namespace: a prefix for the sources of events; nil for no prefix. With a prefix, a
  ///   caller cannot use the ids of other callers (rule E1).
  package init(planner: Planner, namespace: String? = nil) {
    self.namespace = namespace
    self.planner = planner
  }

  /// Reads an event.
  ///
  /// - Parameter now: the instant of arrival, the default for the event's time; nil if the event
  ///   must have a time (a simulation).
  package func event(_ value: JSONValue, now: Instant?) throws(Refusal) -> Event {
    guard case .object(let receivedObject) = value else {
      throw Refusal(.malformed, path: "", "an event must be an object; it is \(value.kind)")
    }
    let object = try withDecodedData(receivedObject)
    try check(members: object)
    let type = try text(object, "type", 1...128)
    let schema = try schema(type)
    guard !schema.isCopy else { throw undeclared(type) }
    let givenTime = try time(object, now: now)
    guard let time = givenTime ?? now else {
      throw Refusal(path: "time", "is missing; every event of a simulation needs a time")
    }
    let identifier = try text(object, "id", 1...256)
    let source = try source(object)
    let recipient = try text(object, "subject", 1...128)
    var event = Event(
      identifier: identifier, source: source,
      type: type, recipient: recipient, time: time, isTimeGiven: givenTime != nil,
      content: try content(
        object["data"], schema, source: source, of: recipient, time: time),
      data: object["data"].map(JSONWriter.canonical) ?? [])
    if let data = object["data"]?.objectValue, case .report = event.content {
      let copies = try copies(of: event, data)
      if !copies.isEmpty { event.copies = copies }
    }
    if let copy = relationCopy(of: event) { event.copies = [copy] }
    if let parent = object["traceparent"]?.stringValue {
      event.trace = TraceContext(parent: parent, state: object["tracestate"]?.stringValue)
    }
    return event
  }

  /// Reads an event from JSON text.
  package func event(text: String, now: Instant?) throws(Refusal) -> Event {
    try event(json(text), now: now)
  }

  func json(_ text: String) throws(Refusal) -> JSONValue {
    do throws(JSONError) {
      return try JSONParser.parse(text)
    } catch {
      throw Refusal(.malformed, path: "", "the event is not JSON: \(error)")
    }
  }

  /// Returns the event with `data_base64` replaced by `data`. The encoded bytes must be JSON
  /// (CloudEvents 1.0.2, JSON format, section 3.1.1; rule H8).
  private func withDecodedData(_ object: JSONObject) throws(Refusal) -> JSONObject {
    let name = "data_base64"
    guard let encoded = object[name] else { return object }
    guard object["data"] == nil else {
      throw Refusal(path: name, "cannot be used with data; send one of them")
    }
    guard let text = encoded.stringValue, let bytes = Base64URL.decodedLeniently(text) else {
      throw Refusal(path: name, "must be a text in base64")
    }
    var decoded = object
    decoded[name] = nil
    do throws(JSONError) {
      decoded["data"] = try JSONParser.parse(bytes)
    } catch {
      throw Refusal(path: name, "is not JSON in base64: \(error)")
    }
    return decoded
  }

  private static let memberNames = [
    "specversion", "id", "source", "type", "subject", "time", "data", "datacontenttype",
    "dataschema",
  ]

  /// Checks the names of members. A name that nearly matches a member is refused as a mistake. If
  /// it were accepted as an extension, an event with a mistyped `time` would get another time.
  private func check(members object: JSONObject) throws(Refusal) {
    for member in object.members where !Self.memberNames.contains(member.key) {
      let isExtension = Self.isExtensionName(member.key)
      // The name "database" resembles data_base64, but may be an extension's.
      let isMeantAsExtension = isExtension && !member.key.contains("64")
      let hint = hint(member.key, Self.memberNames + (isMeantAsExtension ? [] : ["data_base64"]))
      guard hint.isEmpty, isExtension else {
        throw Refusal(
          path: member.key,
          "is not a member of an event"
            + (hint.isEmpty ? "; a name of an extension has lower-case letters and digits" : hint))
      }
      try check(member.value, ofExtension: member.key)
    }
    guard object["specversion"]?.stringValue == "1.0" else {
      throw Refusal(path: "specversion", "must be \"1.0\", the version of CloudEvents")
    }
  }

  /// Returns whether a name is valid for an extension (CloudEvents, "Extension Context
  /// Attributes").
  private static func isExtensionName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }

  /// Checks the value of an extension, which must also fit into an HTTP header.
  private func check(_ value: JSONValue, ofExtension name: String) throws(Refusal) {
    switch value {
    case .null, .bool, .integer: return
    case .string(let text) where text.utf8.count <= 1_024 && !text.hasControlCharacters: return
    case .string:
      throw Refusal(
        path: name, "must be at most 1024 bytes long and without control characters")
    default:
      throw Refusal(
        path: name, "must be a string, a boolean or an integer, as every extension of an event")
    }
  }

  private func source(_ object: JSONObject) throws(Refusal) -> String {
    let source = try text(object, "source", 1...256)
    return namespace.map { $0 + source } ?? source
  }

  /// Reads a required text. It must not contain control characters, and its length in bytes must be
  /// in a range.
  private func text(
    _ object: JSONObject, _ name: String, _ length: ClosedRange<Int>
  ) throws(Refusal) -> String {
    guard let value = object[name] else { throw Refusal(path: name, "is missing") }
    guard case .string(let text) = value else {
      throw Refusal(path: name, "must be a string; it is \(value.kind)")
    }
    guard length.contains(text.utf8.count) else {
      throw Refusal(
        path: name,
        "must be \(length.lowerBound) to \(length.upperBound) bytes long; "
          + "it has \(text.utf8.count)")
    }
    guard !text.hasControlCharacters else {
      throw Refusal(path: name, "must not contain control characters")
    }
    return text
  }

  func schema(_ type: String) throws(Refusal) -> EventSchema {
    if let schema = planner.catalog.event(type) { return schema }
    throw undeclared(type)
  }

  private func undeclared(_ type: String) -> Refusal {
    let declaredTypes = planner.catalog.events.filter { !$0.isCopy }.map(\.type)
    return Refusal(path: "type", "\"\(type)\" is not declared" + hint(type, declaredTypes))
  }

  private func time(_ object: JSONObject, now: Instant?) throws(Refusal) -> Instant? {
    guard let value = object["time"] else { return nil }
    guard case .string(let text) = value, let time = Instant(text) else {
      throw Refusal(path: "time", "must be a time such as \"2026-03-02T21:00:00Z\" (RFC 3339)")
    }
    if let now, time > now + Self.clockAheadMax {
      throw Refusal(
        path: "time",
        "is \(time), in the future: it is \(now) here; "
          + "report an event when it has happened, or set the clock of the app")
    }
    return time
  }

  func content(
    _ data: JSONValue?, _ schema: EventSchema, source: String, of recipient: String,
    time: Instant
  ) throws(Refusal) -> Event.Content {
    let object = try members(data)
    switch schema.shape {
    case .profile:
      let reader = ProfileReader(zones: planner.zones, holidays: planner.holidays)
      return .profile(try reader.changes(object))
    case .preferences:
      return .preferences(try PreferencesReader(catalog: planner.catalog).changes(object))
    case .preset:
      return .preferences(try PresetReader(catalog: planner.catalog).changes(object))
    case .erasure:
      try checkNoMembers(object, schema)
      return .erasure
    case .happening(let field):
      let number = try number(object, field, schema)
      guard schema.rememberedMax > 0 else {
        return .happening(number: number, isInteractive: try isInteractive(object, schema))
      }
      return .report(try reportReader(schema, recipient).report(object))
    case .report:
      return .report(try reportReader(schema, recipient).report(object))
    case .relationAddition, .relationRemoval:
      let reader = RelationReader(
        schema: schema, recipient: recipient, roles: planner.catalog.roles)
      return .relation(try reader.change(object))
    default:
      let reader = CommandReader(
        planner: planner, type: schema.type, source: source, time: time)
      let content = try reader.content(object, schema.shape)
      // Recipients get no notification of their own acts (rule N2).
      if case .request = content, object["actor"]?["id"]?.stringValue == recipient {
        return .happening(number: nil)
      }
      return content
    }
  }

  private func reportReader(_ schema: EventSchema, _ recipient: String) -> ReportReader {
    ReportReader(schema: schema, recipient: recipient, zones: planner.zones)
  }

  private func members(_ data: JSONValue?) throws(Refusal) -> JSONObject {
    switch data {
    case nil, .null: return JSONObject()
    case .object(let object): return object
    case .some(let value):
      throw Refusal(path: "data", "must be an object; it is \(value.kind)")
    }
  }

  private func checkNoMembers(_ object: JSONObject, _ schema: EventSchema) throws(Refusal) {
    guard let member = object.members.first else { return }
    throw Refusal(path: "data.\(member.key)", "is not known; \(schema.type) carries no data")
  }

  private func number(
    _ object: JSONObject, _ field: EventSchema.NumberField?, _ schema: EventSchema
  ) throws(Refusal) -> Int64? {
    guard let field else {
      try checkNoMembers(object, schema)
      return nil
    }
    let path = "data.\(field.name)"
    for member in object.members where member.key != field.name {
      guard member.key != "interactive" || !schema.notifiesForEachNumber else { continue }
      throw Refusal(path: "data.\(member.key)", "is not known; \(schema.type) carries \(path)")
    }
    guard let value = object[field.name] else { throw Refusal(path: path, "is missing") }
    guard let number = value.integerValue else {
      throw Refusal(path: path, "must be a whole number; it is \(value.kind)")
    }
    guard field.range.contains(number) else {
      let range = "\(field.range.lowerBound) to \(field.range.upperBound)"
      throw Refusal(path: path, "must be from \(range); it is \(number)")
    }
    try checkDeclared(number, path, schema)
    return number
  }

  private func isInteractive(
    _ object: JSONObject, _ schema: EventSchema
  ) throws(Refusal) -> Bool {
    guard schema.notifiesForEachNumber else { return false }
    return try EventData(object, known: object.members.map(\.key), of: schema.type)
      .flag("interactive")
  }

  /// Refuses a number that is not a declared milestone of the event's type, because there is no
  /// text for it. A type without milestones may have any number in its range.
  private func checkDeclared(
    _ number: Int64, _ path: String, _ schema: EventSchema
  ) throws(Refusal) {
    let declared = planner.catalog.milestones(reportedBy: Symbol(schema.type))
    guard !declared.isEmpty, !declared.contains(number) else { return }
    let list = declared.map(String.init).joined(separator: ", ")
    throw Refusal(path: path, "is \(number), which no catalog declares; declared are \(list)")
  }
}

/// Returns "; did you mean …?" with the known word that resembles `word` most; an empty text if
/// none is similar.
package func hint(_ word: String, _ known: [String]) -> String {
  guard let nearest = nearest(word, among: known) else { return "" }
  return "; did you mean \"\(nearest)\"?"
}

/// The reason why an input is refused, and the remedy. A refused input changes nothing.
package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The input is not JSON, or is not the kind of JSON value that is expected.
    case malformed
    /// The input is readable, but its content is not allowed.
    case unacceptable
    /// An earlier input with the same identity had other content.
    case conflict
    /// The recipient is at a limit of rule H12. The same input may be accepted later.
    case overfull
  }

  package let kind: Kind
  /// The path of the faulty part, such as `data.timezone`; empty for the whole input.
  package let path: String
  /// The fault and the remedy: the rest of a sentence that begins with `path`.
  package let reason: String

  package init(_ kind: Kind = .unacceptable, path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  package var description: String {
    path.isEmpty ? reason : "\(path) \(reason)"
  }
}
