import CivilTime
import Yams

extension CatalogReader {
  /// `on: {event: milestone.reached, days: days, delay: 1s, since: [streak.started, relapse]}` with
  /// `milestones: {7: {name: Sabr, meaning: "..."}}`: a reminder for each.
  mutating func readMilestones(_ draft: Draft, _ node: Node) {
    let parts = members(
      node, of: "\"on\"", allowed: ["event", "delay", "since"],
      required: ["event", "delay", "since"])
    guard let event = parts["event"].flatMap({ event($0) }),
      let delay = parts["delay"].flatMap({ span($0, "delay") }),
      let since = parts["since"].map({ events($0) })
    else { return }
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
      let trigger = MilestoneTrigger(days: days, reportedBy: event, delay: delay, since: since)
      add(
        draft, name: draft.name.replacing("{days}", with: "\(days)"),
        trigger: .milestone(trigger), messages: messages(draft, constants(days, body)))
    }
  }

  private mutating func constants(_ days: Int64, _ node: Node) -> [String: Template.Segment] {
    let parts = members(
      node, of: "a milestone", allowed: ["name", "meaning"], required: ["name", "meaning"])
    var names: [String: Template.Segment] = ["days": .number]
    for (name, value) in parts {
      if let text = text(value, name) { names[name] = .literal(text) }
    }
    return names
  }
}
