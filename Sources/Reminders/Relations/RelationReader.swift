import JSON

/// Reads the data of events about relations: `{person: ID, role: carer}` of the recipient about
/// whom the person gets messages, and `{of: ID, role: carer}` of that person.
struct RelationReader {
  let schema: EventSchema
  /// The recipient of the event.
  let recipient: String
  /// The roles that the catalogs declare.
  let roles: [String]

  func change(_ object: JSONObject) throws(Refusal) -> RelationChange {
    let isAddition = schema.shape == .relationAddition
    let other = [isAddition ? "consent" : nil, schema.isCopy && !isAddition ? "erased" : nil]
    let data = try EventData(
      object, known: ["person", "of", "role"] + other.compactMap(\.self), of: schema.type)
    guard data.has("person") != data.has("of") else {
      throw Refusal(
        path: "data",
        "needs one of \"person\", who gets messages about the recipient, and \"of\", about whom "
          + "the recipient gets messages")
    }
    let isOutgoing = data.has("person")
    let name = isOutgoing ? "person" : "of"
    let person = try data.text(name, limit: 128)
    guard ExactText(person) != ExactText(recipient) else {
      throw data.refusal(name, "is the recipient of the event; name another person")
    }
    return RelationChange(
      person: person, role: try role(data), isOutgoing: isOutgoing,
      effect: isAddition ? try consent(data) : try data.flag("erased") ? .erasure : .removal)
  }

  /// A copy may have a role that the catalog of this node does not declare.
  private func role(_ data: EventData) throws(Refusal) -> String {
    let role = try data.text("role", limit: 128)
    guard !schema.isCopy, !roles.contains(role) else { return role }
    throw data.refusal(
      "role",
      roles.isEmpty
        ? "is \"\(role)\", but no catalog declares \"roles\"; declare it there"
        : "is \"\(role)\"" + hint(role, roles) + "; known are \(roles.joined(separator: ", "))")
  }

  private func consent(_ data: EventData) throws(Refusal) -> RelationChange.Effect {
    guard data.has("consent") else { return .consent(own: true, other: false) }
    let words = ["own", "both"] + (schema.isCopy ? ["other"] : [])
    let word = try data.word("consent", among: words)
    return .consent(own: word != "other", other: word != "own")
  }
}

extension EventReader {
  /// Returns the copy of an event about a relation for the other person; nil for other events.
  func relationCopy(of event: Event) -> Event? {
    guard case .relation(let change) = event.content else { return nil }
    return change.copy(of: event)
  }
}

extension Facts {
  /// Returns the events that end the relations of a recipient whom an event erases, one for each
  /// other person and role.
  package func relationEndings(by event: Event) -> [Event] {
    relations.map { relation in
      RelationChange(
        person: relation.person, role: relation.role, isOutgoing: relation.isOutgoing,
        effect: .erasure
      ).copy(of: event)
    }
  }
}

extension RelationChange {
  /// Returns the copy of an event for the other person.
  func copy(of event: Event) -> Event {
    let (effect, word): (Effect, String?) =
      switch self.effect {
      case .consent(_, let other): (.consent(own: other, other: true), other ? "both" : "other")
      case .removal, .erasure: (self.effect, nil)
      }
    var data: JSONObject = [isOutgoing ? "of" : "person": .string(event.recipient)]
    data["role"] = .string(role)
    if let word { data["consent"] = .string(word) }
    if effect == .erasure { data["erased"] = true }
    let type = word == nil ? EventSchema.removedRelationCopy : EventSchema.addedRelationCopy
    return Event(
      identifier: event.identifier, source: "\(type), \(person), \(role): \(event.source)",
      type: type, recipient: person, time: event.time, isTimeGiven: event.isTimeGiven,
      content: .relation(
        RelationChange(
          person: event.recipient, role: role, isOutgoing: !isOutgoing, effect: effect)),
      data: JSONWriter.canonical(.object(data)))
  }
}

extension EventSchema {
  /// The types of the copies that the other person of a relation gets.
  static let addedRelationCopy = "relation.added > other"
  static let removedRelationCopy = "relation.removed > other"
}
