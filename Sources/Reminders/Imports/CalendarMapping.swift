/// The fields of an event type that an import fills, each from one property of a component.
package struct CalendarMapping: Sendable {
  let schema: EventSchema
  /// The name of the field with the entity's identifier, from the UID.
  let identifier: String
  /// The name of the field with the plan, from the times.
  let plan: String
  /// The fields with a text, and their properties.
  private(set) var texts: [(field: EventSchema.Field, property: String)] = []

  /// Whether messages to people with a role for the recipient, such as a carer, contain one of
  /// these texts (rule G18).
  private(set) var isRelayed = false

  /// The properties of texts by the names of their fields.
  private static let properties = [
    "title": "SUMMARY", "name": "SUMMARY", "summary": "SUMMARY", "location": "LOCATION",
    "place": "LOCATION",
  ]

  /// - Throws: a refusal if events of the type cannot be made from a calendar.
  package init(type: String, in catalog: Catalog) throws(Refusal) {
    let types = catalog.events.filter { !$0.isCopy && $0.hasPlan }.map(\.type)
    let known =
      (types.isEmpty
        ? "; no catalog declares such a type" : "; such types are \(types.joined(separator: ", "))")
      + hint(type, types)
    guard let schema = catalog.event(type), !schema.isCopy else {
      throw Refusal(path: "as", "names \"\(type.prefix(60))\", which is not declared" + known)
    }
    guard let identifier = schema.identifierField, let plan = schema.planFields.first,
      schema.planFields.count == 1
    else {
      throw Refusal(
        path: "as",
        "names \"\(type)\", but an imported type has an identifier and exactly one plan" + known)
    }
    (self.schema, self.identifier, self.plan) = (schema, identifier.name, plan.name)
    for field in schema.fields where field != identifier && field != plan {
      if field.kind == .text, let property = Self.properties[field.name] {
        texts.append((field, property))
      } else if field.isRequired {
        let names = Self.properties.keys.sorted().joined(separator: ", ")
        throw Refusal(
          path: "as",
          "names \"\(type)\", whose field \(field.name) no calendar fills; declare it as optional, "
            + "or as a text with one of the names \(names)")
      }
    }
    let names = Set(texts.map(\.field.name))
    isRelayed = catalog.reminders.contains { $0.relays(names, of: Symbol(schema.type)) }
  }
}

extension Reminder {
  /// Returns whether the reminder sends other people messages that contain any of an event type's
  /// fields.
  fileprivate func relays(_ fields: Set<String>, of type: Symbol) -> Bool {
    guard let relay, !fields.isDisjoint(with: relay.fields) else { return false }
    if terms?.upcoming?.event.event == type { return true }
    return switch trigger {
    case .plan(let trigger): trigger.event == type
    case .items(let trigger): trigger.event == type
    case .after(let trigger): trigger.event == type
    case .calendar(let trigger): trigger.series?.start.events.contains(type) ?? false
    case .milestone, .idle, .request: false
    }
  }
}

extension EventSchema {
  fileprivate var planFields: [Field] { fields.filter { $0.kind == .plan } }

  fileprivate var hasPlan: Bool { identifierField != nil && planFields.count == 1 }
}

extension Series.Start {
  /// The types of the events that start a run; empty if a date does.
  fileprivate var events: [Symbol] {
    if case .events(let events) = self { events.map(\.event) } else { [] }
  }
}
