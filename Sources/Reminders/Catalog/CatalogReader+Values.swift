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
}
