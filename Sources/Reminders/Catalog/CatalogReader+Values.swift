import CivilTime
import Yams

extension CatalogReader {
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
