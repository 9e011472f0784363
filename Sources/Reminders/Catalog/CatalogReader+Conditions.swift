import CivilTime
import Yams

extension CatalogReader {
  /// Reads `when: {persistence: [repeat, snooze], escalation: true}`. The reminder is planned only
  /// while each parameter has one of its values.
  mutating func conditions(_ node: Node, groups: [String]) -> [SettingCondition] {
    guard let mapping = node.mapping, !mapping.isEmpty else {
      report(node, "\"when\" must be a mapping of parameters to values")
      return []
    }
    return mapping.compactMap { key, value in
      let name = key.string ?? ""
      guard let index = parameter(key, name, groups, written: "\"\(name)\"") else { return nil }
      let nodes = value.sequence.map(Array.init) ?? [value]
      let kind = catalog.settings.definitions[index].kind
      let values = nodes.compactMap { self.value($0, of: kind) }
      return values.isEmpty ? nil : SettingCondition(setting: index, values: values)
    }
  }

  private mutating func value(_ node: Node, of kind: SettingKind) -> Int64? {
    switch kind {
    case .toggle: return toggle(node, "the value").map { $0 ? 1 : 0 }
    case .choice(let words):
      let word = node.string ?? ""
      if let index = words.firstIndex(of: word) { return Int64(index) }
      report(
        node, "\"\(word)\" is not among \(words.joined(separator: ", "))" + hint(word, words))
      return nil
    case .count:
      if let number = node.wholeNumber, (0..<64).contains(number) { return Int64(number) }
      report(node, "the value must be a whole number from 0 to 63")
      return nil
    default:
      report(node, "only a switch, a choice or a number can be compared")
      return nil
    }
  }

  // MARK: - Terms

  /// Reads `from: EVENT`, `having: {event: EVENT, within: 7d}`, `unless: EVENT` with
  /// `dayBegins: "04:00"`, and `upcoming: {event: EVENT, at: FIELD, within: 24h}`. Returns nil if
  /// there is none of the four.
  mutating func terms(of members: [String: Node], groups: [String]) -> Terms? {
    var terms = Terms()
    terms.from = members["from"].flatMap { eventCondition($0) }
    terms.having = members["having"].flatMap { having($0, hasEntity: hasEntity(members)) }
    terms.unless = eventConditions(members["unless"])
    if let node = members["dayBegins"] {
      if members["unless"] == nil { report(node, "\"dayBegins\" needs \"unless\"") }
      terms.dayBegins = timeSource(node, groups: groups) ?? terms.dayBegins
    }
    terms.upcoming = members["upcoming"].flatMap { upcoming($0, groups: groups) }
    return terms.isEmpty ? nil : terms
  }

  /// - Parameter hasEntity: whether each occurrence of the reminder concerns one entity.
  private mutating func having(_ node: Node, hasEntity: Bool) -> Terms.Having? {
    let members = members(node, of: "\"having\"", .having)
    let event = eventCondition(members)
    let within = members["within"].flatMap { span($0, "within") }
    guard let event, let within else { return nil }
    guard within <= .days(366) else {
      report(node, "\"within\" must be at most 366d")
      return nil
    }
    guard let node = members["times"] else { return Terms.Having(event: event, within: within) }
    guard let times = node.wholeNumber, (1...Facts.reportsMax).contains(times), within <= .days(45)
    else {
      report(
        node, "\"times\" must be from 1 to \(Facts.reportsMax), and \"within\" at most 45d")
      return nil
    }
    if times > 1 { catalog.keepLatest(Facts.reportsMax, of: event.event) }
    if times > 1, hasEntity, event.isPerEntity {
      report(
        node,
        "\"times: \(times)\" can never be met: of each entity only the latest report counts; add "
          + "\"per: any\" to count the reports of all entities")
    }
    return Terms.Having(event: event, within: within, times: times)
  }

  private mutating func upcoming(_ node: Node, groups: [String]) -> Terms.Upcoming? {
    let members = members(node, of: "\"upcoming\"", .upcoming)
    let event = eventCondition(members)
    let schema = self.schema(members["event"])
    let field = members["at"].flatMap { instantField($0, of: schema) }
    let within = members["within"].flatMap { spanSource($0, "within", groups: groups) }
    if let node = members["within"], within == .fixed(.zero) {
      report(node, "\"within\" must be longer than 0; it is \(node.string ?? "")")
    }
    let cancelledBy = cancellations(members["cancel"], of: members["event"])
    guard let event, let field, let within else { return nil }
    catalog.keepLatest(Facts.reportsMax, of: event.event)
    return Terms.Upcoming(event: event, field: field, within: within, cancelledBy: cancelledBy)
  }

  /// Returns whether each occurrence of a reminder concerns one entity. It does if the event of the
  /// trigger, or an event of `since`, has an identifier.
  func hasEntity(_ members: [String: Node]) -> Bool {
    let triggerEvents = ["after", "on", "before", "past"].compactMap {
      members[$0]?.mapping?["event"]
    }
    let startEvents = members["since"].map { $0.sequence.map(Array.init) ?? [$0] } ?? []
    return (triggerEvents + startEvents).contains { schema($0)?.identifierField != nil }
  }

  // MARK: - Events of conditions

  /// Reads `EVENT`, `{event: EVENT, per: any}`, or a list of these.
  mutating func eventConditions(_ node: Node?) -> [EventCondition] {
    guard let node else { return [] }
    return (node.sequence.map(Array.init) ?? [node]).flatMap { entry in
      guard entry.mapping != nil else { return [eventCondition(entry)].compactMap(\.self) }
      let members = conditionParts(entry)
      let events = members["event"].map { $0.sequence.map(Array.init) ?? [$0] } ?? []
      return events.compactMap { eventCondition($0, per: members["per"]) }
    }
  }

  /// Returns the nodes of the event names in the conditions that `eventConditions` reads.
  func eventNodes(_ node: Node) -> [Node] {
    (node.sequence.map(Array.init) ?? [node]).flatMap { entry in
      guard let mapping = entry.mapping else { return [entry] }
      return mapping["event"].map { $0.sequence.map(Array.init) ?? [$0] } ?? []
    }
  }

  /// Reads `EVENT` or `{event: EVENT, per: any}`.
  mutating func eventCondition(_ node: Node) -> EventCondition? {
    node.mapping == nil ? eventCondition(node, per: nil) : eventCondition(conditionParts(node))
  }

  /// Reads the members `event` and `per` of a mapping.
  mutating func eventCondition(_ members: [String: Node]) -> EventCondition? {
    members["event"].flatMap { eventCondition($0, per: members["per"]) }
  }

  private mutating func conditionParts(_ node: Node) -> [String: Node] {
    members(node, of: "the condition", .eventCondition)
  }

  private mutating func eventCondition(_ node: Node, per: Node?) -> EventCondition? {
    let hasIdentifier = schema(node)?.identifierField != nil
    if let per, per.string != "any" {
      report(per, "\"per\" must be \"any\"; leave it out to count only the same entity")
    } else if let per, schema(node) != nil, !hasIdentifier {
      report(per, "\"per\" cannot be used: \(node.string ?? "") has no identifier")
    }
    return event(node).map { event in
      EventCondition(
        event: event, isPerEntity: per == nil && hasIdentifier,
        withdrawal: countedWithdrawal(of: node))
    }
  }

  // MARK: - Calendar rules and channels

  /// Reads `skip: {weekends: $skipWeekends, holidays: true, days: $restDays}`.
  ///
  /// - Parameter isCalendar: whether the reminder has dates that can be moved.
  mutating func calendarRules(
    _ node: Node, groups: [String], isCalendar: Bool
  ) -> CalendarRules {
    let members = members(node, of: "\"skip\"", .skip)
    if members.isEmpty, node.mapping?.isEmpty == true { report(node, "\"skip\" is empty") }
    var rules = CalendarRules()
    if let node = members["weekends"],
      let source = toggleSource(node, "weekends", groups: groups)
    {
      rules.weekends = source
    }
    if let node = members["holidays"],
      let source = toggleSource(node, "holidays", groups: groups)
    {
      rules.holidays = source
    }
    if let node = members["days"], let source = daysSource(node, groups: groups) {
      rules.days = source
    }
    if let node = members["move"] {
      rules.move = word(node)
      if !isCalendar { report(node, "\"move\" needs \"every\" in the reminder; remove \"move\"") }
      if members.count == 1 {
        report(node, "\"move\" needs \"weekends\", \"holidays\" or \"days\" beside it")
      }
    }
    return rules
  }

  /// Reads `channels: push` or `channels: [push, email]`. Reports a channel that the category does
  /// not have.
  mutating func channels(_ node: Node, of category: Int?) -> ChannelSet {
    var set: ChannelSet = []
    for entry in node.sequence.map(Array.init) ?? [node] {
      guard let channel = channel(entry.string ?? "", at: entry) else { continue }
      set.insert(ChannelSet(channel))
      guard let category, catalog.categories.indices.contains(category) else { continue }
      let declared = catalog.categories[category]
      if !declared.channels.contains(where: { $0.channel == channel }) {
        report(entry, "the category \"\(declared.name)\" has no channel \(channel.name)")
      }
    }
    if node.sequence?.isEmpty == true { report(node, "channels must name a channel") }
    return set
  }
}

extension CatalogReader {
  /// Reads `{selection: [nutrition, movement], initial: [nutrition]}`, a parameter whose value is a
  /// set of words. The default is all words unless `initial` names fewer.
  mutating func selection(_ node: Node, _ initial: Node?) -> (SettingKind, Int64)? {
    guard let words = words(node, "selection") else { return nil }
    guard (1...62).contains(words.count), Set(words).count == words.count else {
      report(node, "a selection needs 1 to 62 words, each once")
      return nil
    }
    guard let initial else {
      return (.selection(words), (1 << Int64(words.count)) - 1)
    }
    var bits: Int64 = 0
    for word in self.words(initial, "initial") ?? [] {
      guard let index = words.firstIndex(of: word) else {
        report(initial, "\"\(word)\" is not a word of the selection" + hint(word, words))
        continue
      }
      bits |= 1 << Int64(index)
    }
    return (.selection(words), bits)
  }

  private mutating func words(_ node: Node, _ key: String) -> [String]? {
    guard let sequence = node.sequence else {
      report(node, "\(key) must be a list of words")
      return nil
    }
    var words: [String] = []
    for entry in sequence {
      if let word = text(entry, "a word in \(key)") { words.append(word) }
    }
    return words
  }
}
