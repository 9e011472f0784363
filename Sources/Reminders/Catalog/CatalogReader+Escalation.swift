import CivilTime
import Yams

/// Reads the steps that follow an unanswered reminder, and messages to the people who have a role
/// for the recipient (rule G17).
extension CatalogReader {
  private static let stepsMax = 8
  /// The maximum time from a reminder to a step.
  private static let afterMax = TimeSpan.days(7)

  /// Reads `roles: [carer, midwife]`.
  mutating func readRoles(_ node: Node?) {
    guard let node else { return }
    guard let sequence = node.sequence else { return report(node, "\"roles\"", mustBe: .list) }
    for entry in sequence {
      guard let role = text(entry, "a role") else { continue }
      guard role.utf8.count <= 64, !role.hasControlCharacters else {
        report(entry, "a role must have 1 to 64 bytes and no control characters")
        continue
      }
      roles.append(role)
      if !catalog.roles.contains(role) { catalog.roles.append(role) }
    }
  }

  /// Returns the role that the `to` of a reminder names; nil if `to` is missing or names a field of
  /// an event.
  func role(_ members: [String: Node]) -> String? {
    members["to"]?.string.flatMap { roles.contains($0) ? $0 : nil }
  }

  // MARK: - Steps

  /// Reads `escalate: [{after: 15m, channels: [sms]}, {after: 45m, to: carer, messages: […]}]`.
  mutating func addSteps(
    _ node: Node, of draft: Draft, name: String, trigger: Trigger, messages: [MessageTemplate]
  ) {
    guard let sequence = node.sequence, (1...Self.stepsMax).contains(sequence.count) else {
      return report(node, "\"escalate\" must be a list of 1 to \(Self.stepsMax) steps")
    }
    checkEndings(of: draft, name, at: node)
    var earliest = TimeSpan.zero
    for (index, entry) in sequence.enumerated() {
      let members = members(entry, of: "a step of \"escalate\"", .step)
      guard let after = members["after"].flatMap({ span($0, "after") }) else { continue }
      guard after > .zero, after >= earliest, after <= Self.afterMax else {
        report(entry, "\"after\" must be above 0, at most 7d, and not before the previous step's")
        continue
      }
      earliest = after
      var step = draft
      step.options.repeated = draft.options.repeated ?? Symbol(name)
      step.options.offset = draft.options.offset + Offset(span: after)
      if let when = members["when"] {
        step.options.conditions += conditions(when, groups: draft.groups)
      }
      let stepName = "\(name)+step\(index + 1)"
      if members["to"] != nil {
        addMessage(step, name: stepName, trigger: trigger, members, at: entry)
      } else {
        addRepetition(step, name: stepName, trigger: trigger, messages, members, at: entry)
      }
    }
  }

  /// Reports the unknown keys of steps.
  mutating func checkSteps(_ node: Node) {
    for entry in node.sequence.map(Array.init) ?? [] {
      _ = members(entry, of: "a step of \"escalate\"", .step)
    }
  }

  private mutating func addRepetition(
    _ step: Draft, name: String, trigger: Trigger, _ messages: [MessageTemplate],
    _ members: [String: Node], at node: Node
  ) {
    for key in ["messages", "category", "urgency"] {
      if let member = members[key] { report(member, "\"\(key)\" in a step needs \"to\"") }
    }
    guard let channels = members["channels"] else {
      return report(node, "a step needs \"channels\" or \"to\"")
    }
    var step = step
    step.options.channels = self.channels(
      channels, of: catalog.categories.indices.contains(step.category) ? step.category : nil)
    addOne(step, name: name, trigger: trigger, messages: messages)
  }

  /// Reports steps that no event ends, and each action whose event does not end the steps.
  private mutating func checkEndings(of draft: Draft, _ name: String, at node: Node) {
    guard let reminder = catalog.reminder(Symbol(name)) else { return }
    if draft.members["cancel"] == nil, draft.members["unless"] == nil {
      report(node, "\"escalate\" needs \"unless\" or \"cancel\" with the events that end its steps")
    }
    let endings = reminder.endingEvents
    for action in draft.options.actions {
      guard case .event(let event, _) = action.effect, !endings.contains(Symbol(event.type)) else {
        continue
      }
      report(
        node,
        "the action \"\(action.name)\" reports \"\(event.type)\", which does not end the steps; "
          + "add it to \"unless\" or \"cancel\"")
    }
  }

  // MARK: - Messages to other people

  private mutating func addMessage(
    _ step: Draft, name: String, trigger: Trigger, _ members: [String: Node], at node: Node
  ) {
    guard let role = role(members) else {
      if let to = members["to"] { reportUndeclared("role", to.string ?? "", to, roles) }
      return
    }
    guard let messages = members["messages"] else {
      return report(node, "a step with \"to\" needs \"messages\", the texts for the other person")
    }
    var step = step
    if let category = members["category"].flatMap({ self.category($0) }) {
      step.category = category
      step.options.withdraws = catalog.categories[category].withdraws
    }
    step.options.channels = .all
    if let channels = members["channels"] {
      step.options.channels = self.channels(channels, of: step.category)
    }
    addRelay(
      step, name: name, role: role, trigger: trigger, messages,
      urgency: members["urgency"].map { self.urgency($0) })
  }

  /// Adds two reminders: one whose occurrences send a message to other people, and the one that
  /// these people get for each message.
  ///
  /// - Parameter urgency: the urgency of the message; nil for the reminder's urgency, but at most
  ///   `high`.
  mutating func addRelay(
    _ draft: Draft, name: String, role: String, trigger: Trigger, _ node: Node,
    urgency: Urgency? = nil
  ) {
    guard catalog.categories.indices.contains(draft.category) else { return }
    let type = EventSchema.copyType(of: name, to: role)
    let copied = copiedFields(draft)
    let replaced = copyPlaceholders(copied)
    var own = placeholders.filter { replaced[$0.key] != nil }
    own[Relay.nameField] = .name
    guard let ownMessages = messages(node, own), let messages = messages(node, replaced) else {
      return
    }
    let used = Set(messages.flatMap(\.fields))
    let fields = (copied + Self.addedFields).filter { used.contains(Symbol($0.name)) }
    var relayDraft = draft
    relayDraft.options.relay = Relay(role: role, type: type, fields: fields.map(\.name))
    (relayDraft.options.channels, relayDraft.options.urgency) = ([], .mandatory)
    (relayDraft.options.actions, relayDraft.options.topics) = ([], nil)
    relayDraft.options.withdraws = false
    addOne(relayDraft, name: name, trigger: trigger, messages: ownMessages)
    let other = draft.options.urgency ?? catalog.categories[draft.category].urgency
    addReceived(
      draft, name: "\(name)>\(role)", role: role, type, fields, messages,
      urgency: urgency ?? min(other, .high))
  }

  /// Adds the reminder of the people who get a message. Their own settings apply, except their
  /// settings of the reminder's group.
  private mutating func addReceived(
    _ draft: Draft, name: String, role: String, _ type: String, _ fields: [EventSchema.Field],
    _ messages: [MessageTemplate], urgency: Urgency?
  ) {
    let identifier = EventSchema.Field(
      name: Relay.occurrenceField, kind: .identifier, isRequired: true)
    let subject = EventSchema.Field(name: Relay.subjectField, kind: .text, isRequired: true)
    let withdrawal = Symbol("\(type), withdrawn")
    add(EventSchema(type: type, shape: .report([identifier, subject] + fields)))
    add(EventSchema(type: "\(type), withdrawn", shape: .report([identifier])))
    catalog.keepLatest(Facts.reportsMax, of: Symbol(type))
    var options = Reminder.Options()
    options.channels = draft.options.channels
    (options.urgency, options.withdraws) = (urgency, draft.options.withdraws)
    options.recipientRole = role
    var received = draft
    received.options = options
    received.groupSwitch = BuiltInSetting.master.rawValue
    let trigger = ItemTrigger(
      event: Symbol(type), timing: .after(.elapsed(.fixed(.zero))),
      cancelledBy: [
        EventCondition(event: withdrawal, isPerEntity: true, needsIdentifier: true)
      ])
    addOne(received, name: name, trigger: .items(trigger), messages: messages)
  }

  /// Adds a type of events for other people. No app may report such events.
  private func add(_ schema: EventSchema) {
    var schema = schema
    (schema.isCopy, schema.needsRecipient) = (true, true)
    catalog.add(schema)
  }

  /// The fields that a message may contain besides those of the followed event.
  private static let addedFields = [
    EventSchema.Field(name: Relay.nameField, kind: .preview, isRequired: false),
    EventSchema.Field(name: Relay.countField, kind: .number, isRequired: false),
    EventSchema.Field(name: Relay.instantField, kind: .instant, isRequired: false),
    EventSchema.Field(name: Relay.passedField, kind: .instant, isRequired: false),
  ]

  /// Returns the fields of the followed event that a message to other people may contain.
  private func copiedFields(_ draft: Draft) -> [EventSchema.Field] {
    (followedSchema(draft.members)?.fields ?? []).filter(\.isFillable).map {
      EventSchema.Field(
        name: $0.name, kind: $0.kind == .identifier ? .text : $0.kind, isRequired: false)
    }
  }

  /// Returns the placeholders for a message to another person: fields of the followed event, the
  /// recipient's name, and the number or the distance of the occurrence.
  private func copyPlaceholders(_ fields: [EventSchema.Field]) -> [String: Template.Segment] {
    let known = placeholders(of: EventSchema(type: "", shape: .report(fields)))
    var replaced: [String: Template.Segment] = [:]
    for (name, segment) in placeholders {
      switch segment {
      case .number: replaced[name] = .field(Symbol(Relay.countField), .count)
      case .distance: replaced[name] = .field(Symbol(Relay.instantField), .distance)
      case .passed: replaced[name] = .field(Symbol(Relay.passedField), .passed)
      default: replaced[name] = known[name]
      }
    }
    replaced[Relay.nameField] = .field(Symbol(Relay.nameField), .whole)
    return replaced
  }

  private mutating func messages(
    _ node: Node, _ placeholders: [String: Template.Segment]
  ) -> [MessageTemplate]? {
    guard let sequence = node.sequence else {
      report(node, "\"messages\"", mustBe: .list)
      return nil
    }
    let messages = sequence.map { message($0, placeholders, [:], nil) }
    let valid = messages.compactMap(\.self)
    return valid.count == messages.count ? valid : nil
  }
}

extension MessageTemplate {
  /// The fields of events that the texts contain.
  fileprivate var fields: Set<Symbol> {
    translations.reduce(title.fields.union(body.fields)) {
      $0.union($1.title.fields).union($1.body.fields)
    }
  }
}
