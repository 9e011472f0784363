import CivilTime
import Yams

extension CatalogReader {
  /// Reads `batch: {by: [actor, room], window: 5m}`. Events that are equal in these fields become
  /// one notification if their times lie within one window (rule N2).
  mutating func batch(_ node: Node, of schema: EventSchema?) -> BatchRule? {
    let members = members(node, of: "\"batch\"", .batch)
    let nodes = members["by"].map { $0.sequence.map(Array.init) ?? [$0] } ?? []
    let fields = nodes.compactMap { commonField($0, of: schema) }
    let window = members["window"].flatMap { span($0, "window") }
    if let window, let node = members["window"], !(.seconds(1)...(.days(1))).contains(window) {
      report(node, "\"window\" must be from 1s to 1d")
    }
    // An unknown event has been reported already.
    guard let schema, let window, !fields.isEmpty, fields.count == nodes.count else { return nil }
    let counted = schema.fields.first { if case .list = $0.kind { true } else { false } }
    guard let counted else {
      report(node, "\"batch\" needs a list to count, which \(schema.type) does not carry")
      return nil
    }
    return BatchRule(fields: fields, window: window, countedField: Symbol(counted.name))
  }

  private mutating func commonField(_ node: Node, of schema: EventSchema?) -> Symbol? {
    guard let schema else { return nil }
    let usable = schema.fields.filter(\.canBatch).map(\.name)
    let name = node.string ?? ""
    if usable.contains(name) { return Symbol(name) }
    report(
      node,
      "\"\(name)\" is not a field of \(schema.type) to batch by" + hint(name, usable)
        + " (known: \(usable.joined(separator: ", ")))")
    return nil
  }

  /// Reads `opens: room`, the target of a tap on the notification. The link also has the flags of
  /// the event.
  mutating func link(_ node: Node, of schema: EventSchema?) -> Link? {
    let name = node.string ?? ""
    guard let target = Link.Target(rawValue: name) else {
      let known = Link.Target.allCases.map(\.rawValue)
      report(
        node,
        "\"\(name)\" cannot be opened" + hint(name, known)
          + " (known: \(known.joined(separator: ", ")))")
      return nil
    }
    guard let schema else { return nil }
    let needed: EventSchema.FieldKind? =
      switch target {
      case .room: .place
      case .profile: .person
      case .none: nil
      }
    if let needed, !schema.fields.contains(where: { $0.kind == needed && $0.isRequired }) {
      report(node, "to open a \(name), \(schema.type) needs a field of the kind \(needed)")
      return nil
    }
    let flags = schema.fields.filter { $0.kind == .flag }
    return Link(
      target: target, flags: flags.map { Link.Flag(field: Symbol($0.name), name: $0.name) })
  }

  /// Reads `replacedBy: comment.mentioned`: if an event of that type is about the same entity, its
  /// reminder is sent instead.
  mutating func replacement(_ node: Node, of schema: EventSchema?) -> EventCondition? {
    guard let event = event(node), let schema else { return nil }
    let other = self.schema(node)
    guard schema.identifierField != nil, other?.identifierField != nil else {
      report(
        node, "\"replacedBy\" needs an identifier in \(schema.type) and \(node.string ?? "")")
      return nil
    }
    return EventCondition(event: event, isPerEntity: true, countsEarlier: true)
  }
}

extension EventSchema.Field {
  /// Whether events can be batched by the field. It must be required and of a suitable kind.
  fileprivate var canBatch: Bool {
    switch kind {
    case .identifier, .text, .person, .place: isRequired
    case .instant, .date, .number, .flag, .preview, .recipient, .list, .plan, .rememberedNumber:
      false
    }
  }
}

extension CatalogReader {
  /// Reads `topics: $categories`, a parameter that is a selection. Each message may then name a
  /// word of the selection as its `topic`.
  mutating func topics(_ node: Node, groups: [String]) -> Topics? {
    guard let text = node.string, text.hasPrefix("$") else {
      report(node, "\"topics\" must be $name for a group's parameter that is a selection")
      return nil
    }
    let name = String(text.dropFirst())
    guard let index = parameter(node, name, groups, written: text) else { return nil }
    guard case .selection(let words) = catalog.settings.definitions[index].kind else {
      report(node, "\(text) is not a selection")
      return nil
    }
    return Topics(setting: index, words: words)
  }

  /// Reads the `topic` of a message and returns its bit in the selection.
  mutating func topic(_ node: Node, among topics: Topics?) -> Int64? {
    let (word, words) = (node.string ?? "", topics?.words ?? [])
    if let index = words.firstIndex(of: word) { return 1 << Int64(index) }
    report(node, "\"\(word)\" is not among \(words.joined(separator: ", "))" + hint(word, words))
    return nil
  }

  /// Reports each topic without a message: a recipient who chooses only this topic would get none.
  /// Messages without a topic suit all recipients, so nothing is reported if there is one.
  mutating func check(_ topics: Topics, have messages: [MessageTemplate], at node: Node) {
    guard !messages.contains(where: { $0.topic == nil }) else { return }
    for (index, word) in topics.words.enumerated()
    where !messages.contains(where: { $0.topic == 1 << Int64(index) }) {
      report(node, "no message is about \"\(word)\"; add a message with this topic")
    }
  }
}

extension CatalogReader {
  /// Reads `on: {event: milestone.reached, delay: 1s, since: [streak.started, relapse]}` with
  /// `milestones: {7: {name: Sabr, meaning: "..."}}`, and adds a reminder for each milestone.
  mutating func readMilestones(_ draft: Draft, _ node: Node) {
    let members = members(node, of: "\"on\"", .onMilestone)
    guard let event = members["event"].flatMap({ event($0) }),
      let delay = members["delay"].flatMap({ span($0, "delay") }),
      let since = members["since"].map({ events($0) })
    else { return }
    let freeze = members["freeze"].flatMap { self.freeze($0, groups: draft.groups) }
    guard draft.name.contains("{days}") else {
      return report(draft.node, "the name of a milestone reminder must contain {days}")
    }
    let milestones = entries(draft.members["milestones"], "milestones")
    if milestones.isEmpty { report(draft.node, "\"\(draft.name)\" needs \"milestones\"") }
    for (days, body) in milestones {
      guard let days = Int64(days), (1...36_500).contains(days) else {
        report(body, "\"\(days)\" is not a number of days")
        continue
      }
      let trigger = MilestoneTrigger(
        days: days, reportedBy: event, delay: delay, since: since, freeze: freeze)
      let (names, localNames) = names(ofMilestone: body)
      add(
        draft, name: draft.name.replacing("{days}", with: "\(days)"),
        trigger: .milestone(trigger), messages: messages(draft, names, localNames))
    }
  }

  /// Reads `freeze: {event: streak.frozen, by: 24h}`: each such event postpones the predicted
  /// milestones.
  private mutating func freeze(_ node: Node, groups: [String]) -> MilestoneTrigger.Freeze? {
    let members = members(node, of: "\"freeze\"", .freeze)
    let event = members["event"].flatMap { self.event($0) }
    let span = members["by"].flatMap { spanSource($0, "by", groups: groups) }
    // Facts do not keep events with fields for as long as a streak may last.
    if let named = members["event"], schema(named)?.fields.isEmpty == false {
      report(named, "the event of \"freeze\" must have no fields; \(named.string ?? "") has some")
      return nil
    }
    guard let event, let span else { return nil }
    catalog.keepLatest(Facts.reportsMax, of: event)
    return MilestoneTrigger.Freeze(event: event, span: span)
  }

  /// Reads the name and meaning of a milestone, in the catalog's language and in others.
  private mutating func names(
    ofMilestone node: Node
  ) -> (names: [String: Template.Segment], local: [LanguageTag: [String: Template.Segment]]) {
    let members = members(node, of: "a milestone", .milestone)
    var names: [String: Template.Segment] = ["days": .number]
    names.merge(literals(members)) { $1 }
    var local: [LanguageTag: [String: Template.Segment]] = [:]
    for entry in keyedEntries(members["locales"], "locales") {
      guard let language = language(entry.key, "a locale") else { continue }
      local[language] = literals(
        self.members(entry.value, of: "a milestone in \"\(entry.name)\"", .milestoneWords))
    }
    return (names, local)
  }

  private mutating func literals(_ members: [String: Node]) -> [String: Template.Segment] {
    var literals: [String: Template.Segment] = [:]
    for (name, value) in members where name != "locales" {
      if let text = text(value, name) { literals[name] = .literal(text) }
    }
    return literals
  }
}
