package import CivilTime
import JSON

/// Reads the fields of an event as its schema declares them.
struct ReportReader {
  let schema: EventSchema
  /// The recipient of the event.
  var recipient = ""
  /// The zones that plans can name; nil if plans were checked before.
  var zones: ZoneDatabase?

  func report(_ object: JSONObject) throws(Refusal) -> Report {
    for member in object.members { try checkDeclared(member.key) }
    var report = Report(rememberedMax: schema.rememberedMax)
    for field in schema.fields {
      let value = object[field.name]
      if value == nil || value == .null {
        guard !field.isRequired else { throw Refusal(path: "data.\(field.name)", "is missing") }
        continue
      }
      if let value { try read(value, field, into: &report) }
    }
    // Recipients get no notification of their own acts (rule N2).
    if report.isDone(by: recipient) {
      (report.identifier, report.rememberedMax) = (nil, 0)
    } else {
      report.matches = schema.matches.compactMap { $0.memory(of: report) }
      report.peakType = schema.peakType
    }
    return report
  }

  private func checkDeclared(_ key: String) throws(Refusal) {
    let names = schema.fields.map(\.name)
    guard !names.contains(key) else { return }
    let carried = names.isEmpty ? "no data" : names.joined(separator: ", ")
    throw Refusal(
      path: "data.\(key)", "is not known" + hint(key, names) + "; \(schema.type) carries \(carried)"
    )
  }

  private func read(
    _ value: JSONValue, _ field: EventSchema.Field, into report: inout Report
  ) throws(Refusal) {
    let path = "data.\(field.name)"
    let detail: Detail.Value
    switch field.kind {
    case .identifier:
      // A copy's identifier begins with the recipient of the original event.
      let identifier = try text(value, path, 1...(schema.isCopy ? 257 : 128))
      report.identifier = identifier
      detail = .text(identifier)
    case .text: detail = .text(try prose(value, path, 1...256))
    case .recipient: detail = .text(try text(value, path, 1...128))
    case .instant: detail = .instant(try instant(value, path))
    case .date: detail = .date(try date(value, path))
    case .number: detail = try number(value, path)
    case .flag: detail = .flag(try flag(value, path))
    case .person: detail = .person(try person(value, path))
    case .place: detail = .place(try place(value, path))
    case .preview: detail = .text(try preview(value, path))
    case .plan: detail = .plan(try PlanReader(value, path).plan(zones))
    case .list(let sorts): detail = .tally(try tally(value, path, sorts))
    case .rememberedNumber(let declared):
      let number = try number(value, path, within: declared.range)
      report.number = number
      report.memory = declared.memory
      detail = .number(number)
    }
    report.details.append(Detail(field: Symbol(field.name), value: detail))
  }

  /// Reads an identifier without any change, because recipients and entities are compared byte by
  /// byte (rule G10).
  func text(
    _ value: JSONValue, _ path: String, _ length: ClosedRange<Int>
  ) throws(Refusal) -> String {
    try checked(value.stringValue, path, length)
  }

  /// Reads a text for people. Tabs become spaces.
  func prose(
    _ value: JSONValue, _ path: String, _ length: ClosedRange<Int>
  ) throws(Refusal) -> String {
    try checked(value.stringValue?.withPlainSpaces, path, length)
  }

  private func checked(
    _ text: String?, _ path: String, _ length: ClosedRange<Int>
  ) throws(Refusal) -> String {
    guard let text, length.contains(text.utf8.count), !text.hasControlCharacters
    else {
      throw Refusal(
        path: path,
        "must be a text of \(length.lowerBound) to \(length.upperBound) bytes "
          + "without control characters")
    }
    return text
  }

  private func instant(_ value: JSONValue, _ path: String) throws(Refusal) -> Instant {
    guard case .string(let text) = value, let instant = Instant(text) else {
      throw Refusal(path: path, "must be a time such as \"2026-03-02T21:00:00Z\" (RFC 3339)")
    }
    return instant
  }

  private func date(_ value: JSONValue, _ path: String) throws(Refusal) -> LocalDate {
    if let date = value.stringValue.flatMap({ LocalDate($0) }) { return date }
    let found = value.stringValue.map { "\"\($0.prefix(40))\"" } ?? value.kind
    throw Refusal(
      path: path,
      "must be an existing date such as \"2026-12-24\", without a time, of a year from 0001 to "
        + "9999; it is \(found)")
  }

  /// Reads a number with or without a fraction.
  private func number(_ value: JSONValue, _ path: String) throws(Refusal) -> Detail.Value {
    if let number = value.integerValue { return .number(number) }
    guard case .number(let number) = value, abs(number) < Self.numberMax else {
      throw Refusal(
        path: path, "must be a number between -1e12 and 1e12; it is \(value.kind)")
    }
    return .decimal(number)
  }

  /// The limit of a number with a fraction. Up to this limit, a double-precision number has about
  /// four decimal places.
  private static let numberMax = 1e12

  private func number(
    _ value: JSONValue, _ path: String, within range: ClosedRange<Int64>?
  ) throws(Refusal) -> Int64 {
    guard let number = value.integerValue else {
      throw Refusal(path: path, "must be a whole number; it is \(value.kind)")
    }
    if let range, !range.contains(number) {
      throw Refusal(
        path: path, "must be from \(range.lowerBound) to \(range.upperBound); it is \(number)")
    }
    return number
  }
}

/// The content of an event with declared fields.
package struct Report: Hashable, Sendable {
  /// The identifier of the entity that the event is about. It is nil if the type has no identifier,
  /// or if the recipient caused the event.
  package var identifier: String?
  /// The fields of the event, in the order of its schema.
  package var details: [Detail]
  /// The number that the type's `Mark`, the summary of its events, may remember; nil if the event
  /// has none.
  package var number: Int64?
  /// Which numbers the type's mark remembers; nil if `number` is nil.
  package var memory: EventSchema.Memory?
  /// How many of the latest events of this type are remembered individually; 0 if the recipient
  /// caused the event.
  package var rememberedMax: Int
  /// The selections that the report matches, with the way in which each remembers the report.
  var matches: [Match] = []
  /// The type under which the report is remembered if its number is the highest; nil if it is not
  /// remembered for its number.
  var peakType: Symbol?

  package init(
    identifier: String? = nil, details: [Detail] = [], number: Int64? = nil,
    memory: EventSchema.Memory? = nil, rememberedMax: Int = 0
  ) {
    self.identifier = identifier
    self.details = details
    self.number = number
    self.memory = memory
    self.rememberedMax = rememberedMax
  }
}

/// A field of an event with its value.
package struct Detail: Hashable, Sendable {
  package let field: Symbol
  package let value: Value

  package init(field: Symbol, value: Value) {
    self.field = field
    self.value = value
  }

  package enum Value: Hashable, Sendable {
    case text(String)
    case instant(Instant)
    case date(LocalDate)
    case number(Int64)
    /// A number that is not whole.
    case decimal(Double)
    case flag(Bool)
    case person(Person)
    case place(Place)
    case tally(Tally)
    case plan(EntityPlan)
  }
}

/// Determines the events that a recipient's own token may report (rule E7). They are the
/// recipient's decisions, acts and location, but no texts for others and no address.
extension Catalog {
  /// Returns the refusal of an event that a recipient's own token may not report, with the scopes
  /// that may report it. Returns nil for an event that the token may report.
  package func refusalOfOwnReport(_ event: Event) -> Refusal? {
    guard let schema = self.event(event.type), schema.isOwnReport else {
      let scopes = event.type == "recipient.deleted" ? "admin" : "admin or support"
      return Refusal(
        path: "type",
        "\"\(event.type)\" cannot be reported with a recipient's own token; use a token with the "
          + "scope \(scopes)")
    }
    if case .relation(let change) = event.content, case .consent(_, other: true) = change.effect {
      return Refusal(
        path: "data.consent",
        "cannot be both with a recipient's own token; omit it, and the other person consents with "
          + "their own relation.added")
    }
    guard case .profile(let changes) = event.content,
      let change = changes.first(where: { !$0.field.isOwnReport })
    else { return nil }
    let allowed = ProfileField.allCases.filter(\.isOwnReport).map(\.name).joined(separator: ", ")
    return Refusal(
      path: "data.\(change.field.name)",
      "cannot be set with a recipient's own token, which may set \(allowed); use a token with the "
        + "scope admin or support")
  }
}

extension EventSchema {
  /// Whether a recipient's own token may report the event. For a profile, that also depends on the
  /// fields.
  package var isOwnReport: Bool {
    switch shape {
    case .profile, .preferences, .preset, .vacationStart, .vacationEnd: true
    case .deviceRegistration, .deviceRemoval, .sighting, .permission: true
    case .opening, .receipt, .cancellation, .resumption, .snooze: true
    case .relationAddition, .relationRemoval: !isCopy
    case .happening, .report: isOwnAct
    case .erasure, .request, .requestCancellation, .deliveryReport, .calendarLink: false
    }
  }
}

extension ProfileField {
  /// Whether a recipient's own token may set the field. Zone, language and holidays change when
  /// recipients travel. An address determines where messages are sent, and the name appears in
  /// messages.
  package var isOwnReport: Bool {
    switch self {
    case .timezone, .locale, .holidays: true
    case .email, .phone, .name: false
    }
  }
}
