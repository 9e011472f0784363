import CivilTime
import JSON

/// Makes copies of events for other recipients, such as a patient's carer (rule G5).
///
/// A field of the kind `recipient` names another recipient, whose facts get a copy of the event. So
/// reminders for that recipient follow that recipient's zone, language, preferences and gates. No
/// plan depends on the facts of two recipients.
///
/// If a later report of the same entity names another recipient, the previous recipient gets a
/// withdrawal. A recipient that a report of another type omits gets a withdrawal too (rule G10).
extension EventReader {
  /// Returns the copies of an event, one for each field that names another recipient.
  func copies(of event: Event, _ data: JSONObject) throws(Refusal) -> [Event] {
    guard let schema = planner.catalog.event(event.type) else { return [] }
    var copies: [Event] = []
    for field in schema.fields where field.kind == .recipient {
      guard let name = data[field.name]?.stringValue, name != event.recipient,
        let type = planner.catalog.event(EventSchema.copyType(of: event.type, to: field.name))
      else { continue }
      let data = withScopedIdentifier(data, schema, event.recipient)
      copies.append(try copy(event, of: type, to: name, data))
    }
    return copies
  }

  /// Prefixes the identifier with the event's recipient, because two recipients' entities may have
  /// the same identifier.
  private func withScopedIdentifier(
    _ data: JSONObject, _ schema: EventSchema, _ recipient: String
  ) -> JSONObject {
    var data = data
    guard let name = schema.identifierField?.name, let identifier = data[name]?.stringValue
    else { return data }
    data[name] = .string("\(recipient)/\(identifier)")
    return data
  }

  private func copy(
    _ event: Event, of schema: EventSchema, to name: String, _ data: JSONObject
  ) throws(Refusal) -> Event {
    let report = try ReportReader(schema: schema, recipient: name).report(data)
    return Event(
      identifier: event.identifier, source: "\(schema.type): \(event.source)", type: schema.type,
      recipient: name, time: event.time, isTimeGiven: event.isTimeGiven, content: .report(report),
      data: JSONWriter.canonical(.object(data)))
  }
}

extension EventSchema {
  /// Returns the type of an event's copies for one of its fields.
  package static func copyType(of type: String, to field: String) -> String {
    "\(type) > \(field)"
  }

  /// Returns the type of the events that withdraw such copies.
  package static func withdrawalType(of type: String, to field: String) -> String {
    "\(copyType(of: type, to: field)), withdrawn"
  }

  /// The fields that name a recipient; empty for a type without an identifier, which has no later
  /// reports of the same entity.
  fileprivate var namingFields: [Field] {
    guard identifierField != nil, !isCopy else { return [] }
    return fields.filter { $0.kind == .recipient }
  }
}

extension Catalog {
  /// Returns whether an event may cause the withdrawal of a copy of an earlier report.
  package func mayWithdraw(_ event: Event) -> Bool {
    guard !eventTypesByRecipientField.isEmpty, case .report = event.content else { return false }
    return self.event(event.type).map { !$0.namingFields.isEmpty } ?? false
  }

  /// Returns the withdrawals that a report of an entity causes. Only the latest report of a type
  /// determines which recipients the entity concerns.
  ///
  /// - Parameter latest: returns the latest known report of the entity with a type; nil if there is
  ///   none.
  package func withdrawals(by event: Event, after latest: (Symbol) -> Item?) -> [Event] {
    guard let schema = self.event(event.type), case .report(let report) = event.content,
      let identifier = report.identifier
    else { return [] }
    let known = latest(event.symbol)
    let isLatest = known.map { $0.stamp.time <= event.time } ?? true
    return schema.namingFields.flatMap { field -> [Event] in
      let naming = Naming(
        field: field, event: event, identifier: "\(event.recipient)/\(identifier)",
        name: report.details.text(Symbol(field.name)),
        knownName: known?.details.text(Symbol(field.name)), known: known)
      let change = change(naming, of: schema, isLatest: isLatest)
      guard isLatest else { return change }
      return change + omissions(naming, of: schema, latest) + earlierOmissions(naming, latest)
    }
  }

  /// A report of an entity, and one of the fields by which it names another recipient.
  private struct Naming {
    let field: EventSchema.Field
    let event: Event
    /// The identifier of the entity in copies.
    let identifier: String
    /// The recipient that the report names.
    let name: String?
    /// The recipient that `known` names.
    let knownName: String?
    /// The latest known report of the same type.
    let known: Item?
  }

  /// Returns the withdrawal for the recipient that the latest report of the type no longer names.
  /// If the event is older than the known report, the event's own copy is withdrawn, at the time of
  /// the known report.
  private func change(_ naming: Naming, of schema: EventSchema, isLatest: Bool) -> [Event] {
    guard let known = naming.known else { return [] }
    let (earlier, later) =
      isLatest ? (naming.knownName, naming.name) : (naming.name, naming.knownName)
    guard let earlier, earlier != naming.event.recipient,
      ExactText(earlier) != later.map(ExactText.init)
    else { return [] }
    return [withdrawal(naming, of: schema, to: earlier, at: isLatest ? nil : known.stamp.time)]
      .compactMap(\.self)
  }

  /// Returns the withdrawals for recipients that the latest reports of other types name, and the
  /// event does not. A recipient gets a withdrawal only if a condition of reminders for such
  /// recipients counts the event.
  private func omissions(
    _ naming: Naming, of schema: EventSchema, _ latest: (Symbol) -> Item?
  ) -> [Event] {
    guard isCounted(schema, naming.field) else { return [] }
    let excluded = [naming.event.recipient, naming.name, naming.knownName].compactMap(\.self)
    return Set(otherNames(naming, latest)).subtracting(excluded.map(ExactText.init)).sorted()
      .compactMap { withdrawal(naming, of: schema, to: $0.text, isOneOfMany: true) }
  }

  private func otherNames(_ naming: Naming, _ latest: (Symbol) -> Item?) -> [ExactText] {
    otherTypes(naming).compactMap { type in
      latest(type)?.details.text(Symbol(naming.field.name)).map(ExactText.init)
    }
  }

  private func otherTypes(_ naming: Naming) -> [Symbol] {
    eventTypesByRecipientField[naming.field.name, default: []].filter {
      $0 != naming.event.symbol
    }
  }

  /// Returns the withdrawals for a recipient that the previous report of the type did not name.
  /// There is one for each known report of another type that does not name this recipient.
  ///
  /// These reports arrived before the event, but the recipient gets the withdrawals after the copy
  /// of the event. So if a report has the event's time, its withdrawal gets the instant before that
  /// time.
  private func earlierOmissions(_ naming: Naming, _ latest: (Symbol) -> Item?) -> [Event] {
    guard let name = naming.name, name != naming.event.recipient,
      ExactText(name) != naming.knownName.map(ExactText.init)
    else { return [] }
    return otherTypes(naming).compactMap { type in
      guard let schema = self.event(type), isCounted(schema, naming.field),
        let report = latest(type),
        report.details.text(Symbol(naming.field.name)).map(ExactText.init) != ExactText(name)
      else { return nil }
      let time = report.stamp.time
      let isTie = time == naming.event.time
      return withdrawal(naming, of: schema, to: name, at: isTie ? time - .milliseconds(1) : time)
    }
  }

  private func isCounted(_ schema: EventSchema, _ field: EventSchema.Field) -> Bool {
    let type = EventSchema.withdrawalType(of: schema.type, to: field.name)
    return countedWithdrawals.contains(Symbol(type))
  }

  /// Creates the event that withdraws the copies of an entity from a recipient.
  ///
  /// - Parameters:
  ///   - time: the time of another report; nil for the time of the event.
  ///   - isOneOfMany: whether the event may cause several withdrawals of this type.
  private func withdrawal(
    _ naming: Naming, of schema: EventSchema, to name: String, at time: Instant? = nil,
    isOneOfMany: Bool = false
  ) -> Event? {
    guard let identifierName = schema.identifierField?.name else { return nil }
    let (event, identifier) = (naming.event, naming.identifier)
    let type = EventSchema.withdrawalType(of: schema.type, to: naming.field.name)
    let detail = Detail(field: Symbol(identifierName), value: .text(identifier))
    return Event(
      identifier: event.identifier,
      source: isOneOfMany ? "\(type), \(name): \(event.source)" : "\(type): \(event.source)",
      type: type, recipient: name, time: time ?? event.time,
      isTimeGiven: time != nil || event.isTimeGiven,
      content: .report(Report(identifier: identifier, details: [detail])),
      data: JSONWriter.canonical([identifierName: .string(identifier)]))
  }
}
