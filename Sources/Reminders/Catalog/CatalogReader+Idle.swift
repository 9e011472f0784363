import CivilTime
import Yams

extension CatalogReader {
  /// `idle: {event: [app.opened], days: $threshold, times: [1, 2, 4], when: {escalation: true},
  /// channels: [push, [push, email], [push, email, sms]]}`: a ladder of reminders, each after so
  /// many times the days without such an event. The conditions are those of all but the first.
  mutating func readIdle(_ draft: Draft, _ node: Node) {
    let parts = members(
      node, of: "\"idle\"", allowed: ["event", "days", "hours", "times", "when", "channels"],
      required: ["event"])
    let events = parts["event"].map { self.events($0) } ?? []
    let unit = parts["hours"] == nil ? "days" : "hours"
    if (parts["days"] == nil) == (parts["hours"] == nil), node.mapping != nil {
      report(node, "\"idle\" needs one of \"days\" and \"hours\"")
    }
    let count = parts[unit].flatMap {
      countsSource($0, unit, groups: draft.groups, isOne: true)
    }
    let times = parts["times"].flatMap { factors($0) }
    let when = parts["when"].map { conditions($0, groups: draft.groups) } ?? []
    let rungs = times ?? [1]
    let channels = parts["channels"].map { self.channels($0, of: draft, count: rungs.count) }
    let messages = messages(draft, [unit: .number])
    guard let count, !events.isEmpty else { return }
    for (index, factor) in rungs.enumerated() {
      var rung = draft
      if index > 0 { rung.options.conditions += when }
      if let channels, index < channels.count {
        rung.options.channels.formIntersection(channels[index])
      }
      add(
        rung, name: times == nil ? draft.name : "\(draft.name)-\(factor)",
        trigger: .idle(
          IdleTrigger(
            events: events, count: count, unit: unit == "days" ? .days(1) : .hours(1),
            factor: factor)),
        messages: messages)
    }
  }

  private mutating func factors(_ node: Node) -> [Int64]? {
    let numbers = node.sequence?.map { $0.int ?? 0 } ?? []
    guard !numbers.isEmpty, numbers.allSatisfy((1...100).contains), numbers == Set(numbers).sorted()
    else {
      report(node, "\"times\" must be a list of ascending whole numbers such as [1, 2, 4]")
      return nil
    }
    return numbers.map(Int64.init)
  }

  private mutating func channels(_ node: Node, of draft: Draft, count: Int) -> [ChannelSet] {
    guard let sequence = node.sequence, sequence.count == count else {
      report(node, "\"channels\" must give a channel or a list of them for each of \"times\"")
      return []
    }
    let isDeclared = catalog.categories.indices.contains(draft.category)
    return sequence.map { channels($0, of: isDeclared ? draft.category : nil) }
  }
}
