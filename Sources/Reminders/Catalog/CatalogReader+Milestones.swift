import CivilTime
import Yams

extension CatalogReader {
  /// `on: {event: milestone.reached, days: days, delay: 1s, since: [streak.started, relapse]}` with
  /// `milestones: {7: {name: Sabr, meaning: "..."}}`: a reminder for each.
  mutating func readMilestones(_ draft: Draft, _ node: Node) {
    let parts = members(
      node, of: "\"on\"", allowed: ["event", "delay", "since", "freeze"],
      required: ["event", "delay", "since"])
    guard let event = parts["event"].flatMap({ event($0) }),
      let delay = parts["delay"].flatMap({ span($0, "delay") }),
      let since = parts["since"].map({ events($0) })
    else { return }
    let freeze = parts["freeze"].flatMap { self.freeze($0, groups: draft.groups) }
    guard draft.name.contains("{days}") else {
      return report(draft.node, "the name of a milestone reminder must contain {days}")
    }
    let milestones = entries(draft.parts["milestones"], "milestones")
    if milestones.isEmpty { report(draft.node, "\"\(draft.name)\" needs \"milestones\"") }
    for (days, body) in milestones {
      guard let days = Int64(days), (1...36_500).contains(days) else {
        report(body, "\"\(days)\" is not a number of days")
        continue
      }
      let trigger = MilestoneTrigger(
        days: days, reportedBy: event, delay: delay, since: since, freeze: freeze)
      let (names, local) = constants(days, body)
      add(
        draft, name: draft.name.replacing("{days}", with: "\(days)"),
        trigger: .milestone(trigger), messages: messages(draft, names, local))
    }
  }

  /// `freeze: {event: streak.frozen, by: 24h}`: each such event puts off what is foreseen.
  private mutating func freeze(_ node: Node, groups: [String]) -> MilestoneTrigger.Freeze? {
    let parts = members(
      node, of: "\"freeze\"", allowed: ["event", "by"], required: ["event", "by"])
    let event = parts["event"].flatMap { self.event($0) }
    let span = parts["by"].flatMap { spanSource($0, "by", groups: groups) }
    // What carries something is not remembered for as long as a streak may last.
    if let named = parts["event"], schema(named)?.fields.isEmpty == false {
      report(named, "\"freeze\" counts events that carry nothing; this one has fields")
      return nil
    }
    guard let event, let span else { return nil }
    keep(Facts.reportsMax, of: event)
    return MilestoneTrigger.Freeze(event: event, span: span)
  }

  /// What a milestone is called and means, in the catalog's language and in others.
  private mutating func constants(
    _ days: Int64, _ node: Node
  ) -> (names: [String: Template.Segment], local: [LanguageTag: [String: Template.Segment]]) {
    let parts = members(
      node, of: "a milestone", allowed: ["name", "meaning", "locales"],
      required: ["name", "meaning"])
    var names: [String: Template.Segment] = ["days": .number]
    names.merge(literals(parts)) { $1 }
    var local: [LanguageTag: [String: Template.Segment]] = [:]
    for entry in keyedEntries(parts["locales"], "locales") {
      guard let language = language(entry.key, "a locale") else { continue }
      local[language] = literals(
        members(
          entry.value, of: "a milestone in \"\(entry.name)\"", allowed: ["name", "meaning"]))
    }
    return (names, local)
  }

  private mutating func literals(_ parts: [String: Node]) -> [String: Template.Segment] {
    var literals: [String: Template.Segment] = [:]
    for (name, value) in parts where name != "locales" {
      if let text = text(value, name) { literals[name] = .literal(text) }
    }
    return literals
  }
}
