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

  // MARK: - Messages

  /// The reminder's messages with what their places stand for.
  mutating func messages(_ draft: Draft, _ names: [String: Template.Segment]) -> [Message] {
    guard let node = draft.parts["messages"], let sequence = node.sequence else {
      report(draft.parts["messages"] ?? draft.node, "\"messages\" must be a list")
      return []
    }
    var messages: [Message] = []
    for entry in sequence {
      let parts = members(
        entry, of: "a message", allowed: ["title", "body"], required: ["title", "body"])
      guard let title = parts["title"].flatMap({ template($0, "title", names) }),
        let body = parts["body"].flatMap({ template($0, "body", names) })
      else { continue }
      messages.append(Message(title: title, body: body))
    }
    return messages
  }

  private mutating func template(
    _ node: Node, _ what: String, _ names: [String: Template.Segment]
  ) -> Template? {
    guard let text = text(node, what) else { return nil }
    do {
      return try Template(parsing: text, names: names)
    } catch {
      report(node, "\(error)")
      return nil
    }
  }
}
