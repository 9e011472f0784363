import Yams

/// Reads reminders for another recipient. With `to: carer`, the event's field `carer`, of the kind
/// `recipient`, names that recipient (rule G5).
extension CatalogReader {
  /// Declares the copies of an event: one for each field that names another recipient. If the event
  /// has an identifier, each copy has a type of withdrawals too.
  mutating func declareCopies(of schema: EventSchema, at key: Node) {
    for field in schema.fields where field.kind == .recipient {
      if schema.isOwnAct {
        report(
          key,
          "the event \"\(schema.type)\" is from: recipient and names another recipient in "
            + "\"\(field.name)\": a recipient's own token may not report events about others; "
            + "omit \"from\" or the field")
      }
      var copy = EventSchema(
        type: EventSchema.copyType(of: schema.type, to: field.name), shape: schema.shape)
      (copy.isCopy, copy.rememberedMax) = (true, schema.rememberedMax)
      catalog.add(copy)
      declareWithdrawals(of: schema, to: field)
    }
  }

  private mutating func declareWithdrawals(of schema: EventSchema, to field: EventSchema.Field) {
    guard let identifier = schema.identifierField else { return }
    var withdrawal = EventSchema(
      type: EventSchema.withdrawalType(of: schema.type, to: field.name),
      shape: .report([identifier]))
    (withdrawal.isCopy, withdrawal.needsRecipient) = (true, true)
    catalog.add(withdrawal)
    catalog.eventTypesByRecipientField[field.name, default: []].append(Symbol(schema.type))
  }

  /// Returns conditions that match the withdrawals of events for the audience of the current
  /// reminder; empty without an audience. A withdrawal cancels the occurrences that were planned
  /// from the audience's copy of an event (rule G10). It concerns one entity, so it never matches
  /// an occurrence without an identifier.
  func withdrawals(of events: [Node]) -> [EventCondition] {
    guard let audience else { return [] }
    return events.compactMap { node in
      let type = EventSchema.withdrawalType(of: node.string ?? "", to: audience)
      return catalog.event(type).map { _ in
        EventCondition(event: Symbol(type), isPerEntity: true, needsIdentifier: true)
      }
    }
  }

  /// Returns the type of an event's withdrawals for the audience of the current reminder, and
  /// records that a condition counts them. Returns nil if the event has no withdrawals.
  mutating func countedWithdrawal(of event: Node) -> Symbol? {
    guard let audience else { return nil }
    let type = EventSchema.withdrawalType(of: event.string ?? "", to: audience)
    guard catalog.event(type) != nil else { return nil }
    catalog.countedWithdrawals.insert(Symbol(type))
    return Symbol(type)
  }

  /// Calls `read` with `audience` set to the event field that a reminder's `to` names. If `to` is
  /// missing or names a role, `audience` is nil.
  mutating func withAudience(_ field: Node?, _ read: (inout Self) -> Void) {
    let name = field.flatMap { text($0, "to") }
    audience = name.flatMap { roles.contains($0) ? nil : $0 }
    read(&self)
    audience = nil
  }

  /// Returns the schema of an event, or of its copy for the audience of the current reminder; nil
  /// if the catalog has no such schema.
  func schema(_ node: Node?) -> EventSchema? {
    guard let name = node?.string else { return nil }
    return catalog.event(audience.map { EventSchema.copyType(of: name, to: $0) } ?? name)
  }

  /// Returns the symbol of a declared event type, or of its copy for the audience of the current
  /// reminder. Reports a name that is not declared, and an event without such a copy.
  mutating func event(_ node: Node) -> Symbol? {
    let name = node.string ?? ""
    guard let declared = catalog.event(name), !declared.isCopy else {
      guard !name.isEmpty else {
        report(node, "an event", mustBe: .text)
        return nil
      }
      let nearest = hint(name, catalog.events.filter { !$0.isCopy }.map(\.type))
      report(
        node,
        "\"\(name)\" is not an event" + (nearest.isEmpty ? "; declare it in \"events\"" : nearest))
      return nil
    }
    guard let schema = schema(node) else {
      report(
        node,
        "\"\(name)\" has no field \"\(audience ?? "")\" of the kind recipient; declare it, or "
          + "change \"to\"")
      return nil
    }
    return Symbol(schema.type)
  }
}
