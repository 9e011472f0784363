import CivilTime
import Yams

extension CatalogReader {
  /// The names of the service's own notifications: digests and tests.
  private static let reservedNames = [Digest.identifier, TestNotification.identifier]
  /// The keys of triggers. Each reminder has exactly one of them.
  private static let triggers = ["every", "after", "before", "past", "idle", "on"]

  mutating func readReminder(_ name: String, _ node: Node) {
    let previousCount = diagnostics.count
    let members = members(node, of: "the reminder \"\(name)\"", .reminder)
    withAudience(members["to"]) { $0.readReminder(name, node, members) }
    if diagnostics.count > previousCount { wrongReminders.insert(name) }
  }

  private mutating func readReminder(_ name: String, _ node: Node, _ members: [String: Node]) {
    let draft = draft(name, node, members)
    if role(members) != nil {
      refuse(["again", "escalate", "actions", "topics", "repeats"], of: draft, beside: "to")
    }
    require("on", for: ["opens", "flags", "replacedBy"], of: draft)
    require("every", for: ["since"], of: draft)
    require("before", for: ["early", "late"], of: draft)
    let givenTriggers = Self.triggers.filter { members[$0] != nil }
    guard givenTriggers.count == 1, let trigger = givenTriggers.first, let body = members[trigger]
    else {
      return reportTriggers(of: name, givenTriggers, node)
    }
    switch trigger {
    case "every":
      refuse(["while", "milestones", "where"], of: draft, beside: trigger)
      let conditions = ["from", "having", "since", "upcoming"]
      if let to = members["to"], role(members) == nil, conditions.allSatisfy({ members[$0] == nil })
      {
        let list = conditions.joined(separator: ", ")
        report(to, "\"to\" with \"every\" needs an event in one of \(list)")
      }
      readCalendar(draft, body)
    case "after":
      let isCounting = body.mapping?["highest"] != nil
      refuse(
        ["until", "pause", "smart", "milestones"] + (isCounting ? [] : ["while"]), of: draft,
        beside: isCounting ? trigger : "after\" without \"highest")
      if isCounting { refuse(["where"], of: draft, beside: "highest") }
      readAfter(draft, body)
    case "before", "past":
      refuse(["until", "pause", "smart", "while", "milestones"], of: draft, beside: trigger)
      readBefore(draft, trigger, body)
    case "idle":
      refuse(
        ["until", "pause", "smart", "while", "cancel", "milestones", "again", "where", "escalate"]
          + (role(members) == nil ? ["to"] : []),
        of: draft, beside: trigger)
      readIdle(draft, body)
    default: readOn(draft, body)
    }
  }

  private mutating func reportTriggers(of name: String, _ triggers: [String], _ node: Node) {
    func list(_ words: [String]) -> String {
      words.dropLast().map { "\"\($0)\"" }.joined(separator: ", ") + " and \"\(words.last ?? "")\""
    }
    guard let first = triggers.first else {
      return report(node, "the reminder \"\(name)\" needs one of \(list(Self.triggers))")
    }
    report(
      node,
      "the reminder \"\(name)\" has the triggers \(list(triggers)), and only one is allowed; keep "
        + "\"\(first)\" and move the others to reminders of their own")
  }

  private mutating func readOn(_ draft: Draft, _ body: Node) {
    refuse(["until", "pause", "smart", "while"], of: draft, beside: "on")
    if body.mapping?["since"] != nil || draft.members["milestones"] != nil {
      refuse(
        [
          "cancel", "again", "from", "having", "unless", "dayBegins", "opens", "flags",
          "replacedBy", "where",
          "upcoming", "to", "escalate",
        ],
        of: draft,
        beside: "milestones")
      readMilestones(draft, body)
    } else {
      readOnEvent(draft, body)
    }
  }

  /// Reports members that have no effect beside another key, such as that of the trigger.
  private mutating func refuse(_ members: [String], of draft: Draft, beside trigger: String) {
    for name in members {
      guard let node = draft.members[name] else { continue }
      report(node, "\"\(name)\" cannot be used with \"\(trigger)\"")
    }
  }

  /// Reports members that have an effect only with a trigger, if the reminder has another trigger.
  private mutating func require(_ trigger: String, for members: [String], of draft: Draft) {
    guard draft.members[trigger] == nil else { return }
    for name in members {
      guard let node = draft.members[name] else { continue }
      report(node, "\"\(name)\" needs \"\(trigger)\"")
    }
  }

  // MARK: - Drafts

  /// The values of a reminder that are read before its trigger.
  struct Draft {
    var name: String
    var node: Node
    /// The nodes of all members, by key.
    var members: [String: Node]
    /// The groups of the reminder. Parameters are looked up from the last group to the first.
    var groups: [String]
    /// The index of the setting that switches the last group. The switches of the other groups
    /// become conditions.
    var groupSwitch: Int
    /// The index of the category; 0 if it is not declared.
    var category: Int
    /// How long after its planned instant an occurrence may be sent.
    var expires: TimeSpan
    var options: Reminder.Options
    /// The nodes with the former names of the reminder.
    var formerNameNodes: [Node] = []
  }

  /// Reads a draft. A wrong value is reported and replaced by a default, so that reading continues
  /// and finds the other mistakes. The catalog is refused at the end.
  private mutating func draft(_ name: String, _ node: Node, _ members: [String: Node]) -> Draft {
    let nodes = members["group"].map { $0.sequence.map(Array.init) ?? [$0] } ?? []
    if let group = members["group"], nodes.isEmpty { report(group, "group must name a group") }
    let groupSwitches = nodes.map { self.switchIndex(ofGroup: $0) }
    let category = members["category"].flatMap { self.category($0) }
    var draft = Draft(
      name: name, node: node, members: members, groups: nodes.compactMap(\.string),
      groupSwitch: groupSwitches.last.flatMap { $0 } ?? 0, category: category ?? 0,
      expires: members["expires"].flatMap { span($0, "expires") } ?? .zero,
      options: Reminder.Options())
    draft.options.conditions = groupSwitches.dropLast().compactMap { $0 }.map {
      SettingCondition(setting: $0, values: [1])
    }
    if let when = members["when"] {
      draft.options.conditions += conditions(when, groups: draft.groups)
    }
    draft.options.terms = terms(of: members, groups: draft.groups)
    draft.options.calendar = members["skip"].map {
      calendarRules($0, groups: draft.groups, isCalendar: members["every"] != nil)
    }
    draft.options.urgency = members["urgency"].map { urgency($0) }
    draft.options.topics = members["topics"].flatMap { topics($0, groups: draft.groups) }
    if let named = members["named"] {
      draft.options.mayNameRecipient =
        toggleSource(named, "named", groups: draft.groups) ?? .fixed(true)
    }
    if let early = members["early"].flatMap({ earlySpan($0) }) { draft.options.early = early }
    if let was = members["was"] { draft.formerNameNodes = formerNames(was) }
    if let late = members["late"] { draft.options.skipsLate = readLate(late) }
    if let node = members["channels"] { draft.options.channels = channels(node, of: category) }
    draft.options.actions = actions(members, category: category)
    draft.options.withdraws = withdraws(members, category: category)
    draft.options.repeated = members["repeats"].flatMap { repeated($0) }
    return draft
  }

  /// Reads `repeats: weight-reminder`. The reminder with this member repeats the named one, with
  /// different texts.
  private mutating func repeated(_ node: Node) -> Symbol? {
    let name = node.string ?? ""
    guard let reminder = catalog.reminder(Symbol(name)) else {
      if wrongReminders.contains(name) { return nil }
      report(
        node,
        "no reminder \"\(name)\" is declared before this one"
          + hint(name, catalog.reminders.map(\.identifier)))
      return nil
    }
    guard reminder.repeated == nil else {
      report(node, "\"\(name)\" itself repeats a reminder; name the reminder that it repeats")
      return nil
    }
    return reminder.symbol
  }

  /// Reads `early: 15m`.
  private mutating func earlySpan(_ node: Node) -> TimeSpan? {
    guard let early = span(node, "early") else { return nil }
    guard early >= Reminder.defaultEarly, early <= .hours(12) else {
      report(node, "early must be between 1m and 12h; it is \(node.string ?? "")")
      return nil
    }
    return early
  }

  /// Reads `late: skip` or `late: send` and returns whether it is `skip`.
  private mutating func readLate(_ node: Node) -> Bool {
    let word = node.string ?? ""
    if !["send", "skip"].contains(word) {
      report(node, "\"late\" must be send or skip; \"\(word)\" is neither")
    }
    return word == "skip"
  }

  /// Returns the index of the setting that switches a declared group.
  private mutating func switchIndex(ofGroup node: Node) -> Int? {
    let name = node.string ?? ""
    if let index = catalog.settings.index(of: "reminders.\(name).enabled") { return index }
    reportUndeclared("group", name, node, groupNames)
    return nil
  }

  mutating func category(_ node: Node) -> Int? {
    let name = node.string ?? ""
    if let index = catalog.categoryIndex(name) { return index }
    reportUndeclared("category", name, node, catalog.categories.map(\.name))
    return nil
  }

  /// Reports a name that the catalog does not declare, with the nearest declared name. If no name
  /// is near, adds the first 12 declared names.
  mutating func reportUndeclared(
    _ kind: String, _ name: String, _ node: Node, _ declared: [String]
  ) {
    guard !name.isEmpty else { return report(node, kind, mustBe: .text) }
    let nearest = hint(name, declared)
    let names = declared.prefix(12).joined(separator: ", ") + (declared.count > 12 ? ", …" : "")
    let list = declared.isEmpty ? "" : " (declared: \(names))"
    report(
      node, "the \(kind) \"\(name)\" is not declared" + (nearest.isEmpty ? list : nearest))
  }

  // MARK: - Adding

  /// Adds a reminder with its repetitions and escalation steps. A reminder for a role is added as
  /// the message to the people with that role.
  ///
  /// - Parameter messages: nil if they are invalid; the mistake has then been reported.
  mutating func add(_ draft: Draft, name: String, trigger: Trigger, messages: [MessageTemplate]?) {
    guard let messages else {
      // Repetitions and steps are read too, to report their mistakes.
      draft.members["escalate"].map { checkSteps($0) }
      return draft.members["again"].map { _ = repetitions($0, of: draft) } ?? ()
    }
    if let role = role(draft.members), let node = draft.members["messages"] {
      return addRelay(draft, name: name, role: role, trigger: trigger, node)
    }
    addOne(draft, name: name, trigger: trigger, messages: messages)
    addRepetitions(draft, name: name, trigger: trigger, messages: messages)
    guard let node = draft.members["escalate"] else { return }
    addSteps(node, of: draft, name: name, trigger: trigger, messages: messages)
  }

  private mutating func addRepetitions(
    _ draft: Draft, name: String, trigger: Trigger, messages: [MessageTemplate]
  ) {
    guard let node = draft.members["again"] else { return }
    for (index, repetition) in repetitions(node, of: draft).enumerated() {
      var repetition = repetition
      repetition.options.repeated = draft.options.repeated ?? Symbol(name)
      addOne(repetition, name: "\(name)+\(index + 1)", trigger: trigger, messages: messages)
    }
  }

  /// Adds one reminder, without its repetitions. Reports a name that is reserved or taken, and
  /// reminders or messages beyond the limit.
  mutating func addOne(
    _ draft: Draft, name: String, trigger: Trigger, messages: [MessageTemplate]
  ) {
    let symbol = Symbol(name)
    guard !Self.reservedNames.contains(name) else {
      return report(
        draft.node, "the service itself uses the reminder name \"\(name)\"; rename the reminder")
    }
    guard catalog.reminderIndices[symbol] == nil else {
      return report(
        draft.node, "the reminder \"\(name)\" is declared twice, or its hash is taken; rename it")
    }
    guard countReminder(at: draft.node) else { return }
    guard (1...254).contains(messages.count) else {
      return report(
        draft.members["messages"] ?? draft.node, "the reminder \"\(name)\" needs 1 to 254 messages")
    }
    if let repeated = draft.options.repeated.flatMap({ catalog.reminder($0) }),
      !trigger.hasSameKeys(as: repeated.trigger)
    {
      let node = draft.members["repeats"] ?? draft.node
      let subject = trigger.isPicked ? "\"pick\", with the same values," : "kind of trigger"
      report(node, "\"\(name)\" needs the same \(subject) as \"\(repeated.identifier)\"")
    }
    catalog.declaredHints.add(symbol)
    catalog.reminderIndices[symbol] = catalog.reminders.count
    recordFormerNames(of: name, draft)
    catalog.add(
      Reminder(
        identifier: name, category: draft.category, groupSwitch: draft.groupSwitch,
        trigger: trigger, expires: draft.expires, messages: messages, options: draft.options))
  }

  /// Reads `again: {every: 1h, times: 3, unless: weight.logged, when: {persistence: repeat}}`, in
  /// which `days: 1` may replace `every`. Returns a draft for each repetition. Each repetition
  /// expires at the latest when the next one is due.
  private mutating func repetitions(_ node: Node, of draft: Draft) -> [Draft] {
    let members = members(node, of: "\"again\"", .again)
    var repetition = draft
    if let when = members["when"] {
      repetition.options.conditions += conditions(when, groups: draft.groups)
    }
    if let unless = members["unless"] {
      var terms = draft.options.terms ?? Terms()
      terms.unless += eventConditions(unless)
      repetition.options.terms = terms
    }
    guard let every = interval(members, node),
      let times = members["times"].flatMap({ number($0, "times") })
    else { return [] }
    guard (1...24).contains(times), every.length > .zero, every.length <= .days(7) else {
      report(
        node, "\"again\" needs \"times\" from 1 to 24, and \"every\" above 0 and at most 7d")
      return []
    }
    repetition.expires = min(draft.expires, every.length)
    return (1...Int(times)).map { number in
      var numbered = repetition
      numbered.options.offset = draft.options.offset + every * number
      return numbered
    }
  }

  /// Reads the distance between repetitions: `every` or `days`.
  private mutating func interval(_ members: [String: Node], _ node: Node) -> Offset? {
    switch (members["every"], members["days"]) {
    case (let every?, nil): return span(every, "every").map { Offset(span: $0) }
    case (nil, let days?): return dates(days, 7).map { Offset(days: $0) }
    default:
      report(node, "\"again\" needs one of \"every\" and \"days\"")
      return nil
    }
  }
}
