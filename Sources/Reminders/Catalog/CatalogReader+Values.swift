import CivilTime
import Yams

extension CatalogReader {
  mutating func text(_ node: Node, _ what: String) -> String? {
    guard let text = node.string, !text.isEmpty else {
      report(node, "\(what) must be a text")
      return nil
    }
    return text
  }

  mutating func span(_ node: Node, _ what: String) -> TimeSpan? {
    guard let text = node.string, let span = TimeSpan(text), span.milliseconds >= 0 else {
      report(node, "\(what) must be a duration such as 30m, 12h or 3d")
      return nil
    }
    return span
  }

  mutating func number(_ node: Node, _ what: String) -> Int64? {
    guard let number = node.int else {
      report(node, "\(what) must be a whole number")
      return nil
    }
    return Int64(number)
  }

  mutating func toggle(_ node: Node, _ what: String) -> Bool? {
    guard let isOn = node.bool else {
      report(node, "\(what) must be true or false")
      return nil
    }
    return isOn
  }

  /// The bits of a list of days such as [mon, sat].
  mutating func days(_ node: Node, _ what: String) -> Int64? {
    guard let sequence = node.sequence, !sequence.isEmpty else {
      report(node, "\(what) must be a list of days such as [mon, sat]")
      return nil
    }
    var bits: Int64 = 0
    for entry in sequence {
      let name = entry.string ?? ""
      guard let day = Weekday(name: name) else {
        report(entry, "\"\(name)\" is not a day" + hint(name, Weekday.allCases.map(\.name)))
        continue
      }
      bits |= day.bit
    }
    return bits
  }

  /// The symbol of a declared event type.
  mutating func event(_ node: Node) -> Symbol? {
    let name = node.string ?? ""
    guard catalog.event(name) != nil else {
      report(node, "\"\(name)\" is not an event" + hint(name, catalog.events.map(\.type)))
      return nil
    }
    return Symbol(name)
  }

  /// One event type or a list of them.
  mutating func events(_ node: Node) -> [Symbol] {
    guard let sequence = node.sequence else { return event(node).map { [$0] } ?? [] }
    var symbols: [Symbol] = []
    for entry in sequence {
      if let symbol = event(entry) { symbols.append(symbol) }
    }
    return symbols
  }

  /// "21:00", or "$time" for the parameter of the reminder's group.
  mutating func timeSource(_ node: Node, group: String) -> TimeSource? {
    let text = node.string ?? ""
    if text.hasPrefix("$") {
      return parameter(node, text, group: group, kind: .time).map { .setting($0) }
    }
    guard let time = LocalTime(text) else {
      report(node, "must be a time of day such as \"21:00\", or $name for a group's parameter")
      return nil
    }
    return .fixed(time)
  }

  /// [mon, sat], or "$days" for the parameter of the reminder's group.
  mutating func daysSource(_ node: Node, group: String) -> DaysSource? {
    if let text = node.string, text.hasPrefix("$") {
      return parameter(node, text, group: group, kind: .days).map { .setting($0) }
    }
    return days(node, "the days").map { .fixed($0) }
  }

  private mutating func parameter(
    _ node: Node, _ text: String, group: String, kind: SettingKind
  ) -> Int? {
    // That the group is not declared has been reported.
    guard catalog.settings.index(of: "reminders.\(group).enabled") != nil else { return nil }
    let path = "reminders.\(group).\(text.dropFirst())"
    guard let index = catalog.settings.index(of: path) else {
      let known = catalog.settings.definitions.map(\.path)
      report(node, "the group \"\(group)\" has no parameter \(text)" + hint(path, known))
      return nil
    }
    guard catalog.settings.definitions[index].kind == kind else {
      report(node, "\(text) is not \(kind == .time ? "a time of day" : "a list of days")")
      return nil
    }
    return index
  }
}
