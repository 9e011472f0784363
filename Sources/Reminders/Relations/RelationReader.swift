import JSON

/// Reads the data of events about relations. In `{person: ID, role: carer}` the person gets
/// messages about the recipient of the event. In `{of: ID, role: carer}` the recipient of the event
/// gets messages about the person.
struct RelationReader {
  let schema: EventSchema
  /// The recipient of the event.
  let recipient: String
  /// The roles that the catalogs declare.
  let roles: [String]

  func change(_ object: JSONObject) throws(Refusal) -> RelationChange {
    let isAddition = schema.shape == .relationAddition
    let data = try EventData(
      object, known: ["person", "of", "role"] + otherMembers, of: schema.type)
    guard data.has("person") != data.has("of") else {
      throw Refusal(
        path: "data",
        "needs one of \"person\", who gets messages about the recipient, and \"of\", about whom "
          + "the recipient gets messages")
    }
    let isOutgoing = data.has("person")
    let name = isOutgoing ? "person" : "of"
    let person = try data.text(name, limit: 128)
    guard !person.hasControlCharacters else {
      throw data.refusal(name, "must not contain control characters")
    }
    guard ExactText(person) != ExactText(recipient) else {
      throw data.refusal(name, "is the recipient of the event; name another person")
    }
    return RelationChange(
      person: person, role: try role(data), isOutgoing: isOutgoing,
      effect: isAddition ? try consent(data) : try data.flag("erased") ? .erasure : .removal,
      isConfirmation: try data.flag("confirms"))
  }

  /// The members of the data besides `person`, `of` and `role`. Some occur only in additions, and
  /// some only in copies.
  private var otherMembers: [String] {
    guard schema.shape == .relationAddition else { return schema.isCopy ? ["erased"] : [] }
    return ["consent"] + (schema.isCopy ? ["confirms"] : [])
  }

  /// A copy may have a role that the catalog of this node does not declare. A relation can be
  /// removed when its role is no longer declared.
  private func role(_ data: EventData) throws(Refusal) -> String {
    let role = try data.text("role", limit: 128)
    let isAddition = schema.shape == .relationAddition
    guard isAddition, !schema.isCopy, !roles.contains(role) else { return role }
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

extension Facts {
  /// Returns the event that repeats the recipient's own consent for another person, after that
  /// person has consented; nil for other changes. The service may not have known the person when
  /// the recipient consented.
  package func confirmation(of event: Event) -> Event? {
    guard case .relation(let change) = event.content,
      change.effect == .consent(own: false, other: true), !change.isConfirmation,
      let relation = relations.first(where: change.concerns), relation.hasOwnConsent,
      let consent = relation.ownConsent
    else { return nil }
    let own = RelationChange(
      person: change.person, role: change.role, isOutgoing: change.isOutgoing,
      effect: .consent(own: true, other: false), isConfirmation: true)
    return own.copy(
      of: Event(
        identifier: event.identifier, source: event.source, type: event.type,
        recipient: event.recipient, time: consent.time, isTimeGiven: true, content: event.content))
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
    if isConfirmation { data["confirms"] = true }
    let type = word == nil ? EventSchema.removedRelationCopy : EventSchema.addedRelationCopy
    return Event(
      identifier: event.identifier, source: "\(type), \(person), \(role): \(event.source)",
      type: type, recipient: person, time: event.time, isTimeGiven: event.isTimeGiven,
      content: .relation(
        RelationChange(
          person: event.recipient, role: role, isOutgoing: !isOutgoing, effect: effect,
          isConfirmation: isConfirmation)),
      data: JSONWriter.canonical(.object(data)))
  }
}

extension EventSchema {
  /// The types of the copies that the other person of a relation gets.
  static let addedRelationCopy = "relation.added > other"
  static let removedRelationCopy = "relation.removed > other"
}
