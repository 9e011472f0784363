import CivilTime
import JSON

/// Copies of events for other recipients, such as a patient's carer (rule G5).
///
/// The recipient that a field of the kind `recipient` names gets a copy as a fact of their own. So
/// reminders for them follow their own zone, language, preferences and gates, and no plan depends
/// on another recipient's facts. If a later report of the same entity names another recipient, the
/// previous one gets a withdrawal (rule G10).
extension EventReader {
  /// Returns the copies of an event, one for each other recipient that it names.
  func copies(of event: Event, _ data: JSONObject) throws(Refusal) -> [Event] {
    guard let schema = catalog.event(event.type) else { return [] }
    var copies: [Event] = []
    for field in schema.fields where field.kind == .recipient {
      guard let name = data[field.name]?.stringValue, name != event.recipient,
        let type = catalog.event(EventSchema.copyType(of: event.type, to: field.name))
      else { continue }
      copies.append(try copy(event, of: type, to: name, scoped(data, schema, event.recipient)))
    }
    return copies
  }

  /// Prefixes the identifier with the recipient, so that entities of different recipients are kept
  /// apart.
  private func scoped(
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
  /// The type of the copies of an event for one of its fields.
  package static func copyType(of type: String, to field: String) -> String {
    "\(type) > \(field)"
  }

  /// The type of the events that withdraw such copies.
  package static func withdrawalType(of type: String, to field: String) -> String {
    "\(copyType(of: type, to: field)), withdrawn"
  }

  /// The fields that name a recipient, if the type has an identifier, so that a later report of the
  /// entity may name another one.
  fileprivate var namingFields: [Field] {
    guard identifierField != nil, !isCopy else { return [] }
    return fields.filter { $0.kind == .recipient }
  }
}

extension Catalog {
  /// Whether an event may withdraw a copy of an earlier report.
  package func mayWithdraw(_ event: Event) -> Bool {
    guard case .report = event.content else { return false }
    return self.event(event.type).map { !$0.namingFields.isEmpty } ?? false
  }

  /// Whether an event is a withdrawal. It does nothing for a recipient without facts.
  package func isWithdrawal(_ event: Event) -> Bool {
    self.event(event.type)?.isWithdrawal ?? false
  }

  /// Returns the withdrawals that a report of an entity causes: only the latest report says which
  /// recipients the entity concerns. If the event is older than the known report, its own copies
  /// are withdrawn, at the time of the later report.
  ///
  /// - Parameter known: the latest report of the entity so far; nil if there is none.
  package func withdrawals(by event: Event, after known: Item?) -> [Event] {
    guard let known, let schema = self.event(event.type),
      case .report(let report) = event.content, let identifier = report.identifier
    else { return [] }
    let isLatest = known.stamp.time <= event.time
    let (earlier, later) =
      isLatest ? (known.details, report.details) : (report.details, known.details)
    return schema.namingFields.compactMap { field in
      let name = earlier.text(Symbol(field.name))
      guard let name, name != event.recipient,
        ExactText(name) != later.text(Symbol(field.name)).map(ExactText.init)
      else { return nil }
      return withdrawal(
        of: schema, from: field, about: "\(event.recipient)/\(identifier)", to: name, by: event,
        at: isLatest ? nil : known.stamp.time)
    }
  }

  /// - Parameter time: the time of a later report; nil for the time of the event.
  private func withdrawal(
    of schema: EventSchema, from field: EventSchema.Field, about identifier: String,
    to name: String, by event: Event, at time: Instant?
  ) -> Event? {
    guard let thing = schema.identifierField?.name else { return nil }
    let type = EventSchema.withdrawalType(of: event.type, to: field.name)
    let detail = Detail(field: Symbol(thing), value: .text(identifier))
    return Event(
      identifier: event.identifier, source: "\(type): \(event.source)", type: type,
      recipient: name, time: time ?? event.time, isTimeGiven: time != nil || event.isTimeGiven,
      content: .report(Report(identifier: identifier, details: [detail])),
      data: JSONWriter.canonical([thing: .string(identifier)]))
  }
}

extension [Detail] {
  fileprivate func text(_ field: Symbol) -> String? {
    for detail in self where detail.field == field {
      if case .text(let text) = detail.value { return text }
    }
    return nil
  }
}
