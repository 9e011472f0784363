import JSON

/// A fact about one person that others are told of, such as a patient's carer: whoever a field of
/// the kind `recipient` names gets a copy of the event, as a fact about themselves. So they have
/// their own zone, language, preferences and gates, and nobody's plan depends on another's facts.
extension EventReader {
  /// The copies of an event, one for each person that it names.
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

  /// Things of different people are told apart, whatever these call them.
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
  /// The type of the copies of an event.
  package static func copyType(of type: String, to field: String) -> String {
    "\(type) > \(field)"
  }
}
