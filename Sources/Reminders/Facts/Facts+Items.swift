import CivilTime

extension Facts {
  /// Of how many things at most one recipient's facts speak; of more, the earliest told are let go.
  package static let thingsMax = 256
  /// How many events of one type that stand for themselves are remembered.
  package static let reportsMax = 32
  /// How long the last instant of which a thing speaks may be past, by the latest that was told of
  /// anything. Longer than what vacation holds.
  private static let memory = TimeSpan.days(45)

  /// The items of a type, as a range of `items`.
  package func items(of type: Symbol) -> Range<Int> {
    guard let start = items.firstIndex(where: { $0.type == type }) else { return 0..<0 }
    let end = items[start...].firstIndex { $0.type != type } ?? items.endIndex
    return start..<end
  }

  package func item(_ type: Symbol, _ identifier: String) -> Item? {
    items.first { $0.type == type && $0.identifier == identifier }
  }

  /// Notes what an event says of a thing, unless a later one has said otherwise.
  ///
  /// Commutative for events that arrive at most 45 days late: what is let go is what any order of
  /// them would have let go.
  mutating func note(_ report: Report, of type: Symbol, at stamp: Stamp) {
    guard report.identifier != nil || report.kept > 0 else { return }
    let item = Item(
      type: type, identifier: report.identifier, stamp: stamp, details: report.details)
    if let identifier = report.identifier,
      let index = items.firstIndex(where: { $0.type == type && $0.identifier == identifier })
    {
      if items[index].stamp < stamp { items[index] = item }
    } else {
      items.insert(item, at: items.firstIndex { item < $0 } ?? items.endIndex)
    }
    if report.identifier == nil { keepLatest(report.kept, of: type) }
    forget()
  }

  /// Takes items back that may have been let go.
  mutating func restore(_ kept: [Item]) {
    for item in kept where !items.contains(item) {
      items.insert(item, at: items.firstIndex { item < $0 } ?? items.endIndex)
    }
  }

  /// Those without an identifier stand in the order of their stamps.
  private mutating func keepLatest(_ count: Int, of type: Symbol) {
    let range = items(of: type)
    let unnamed = range.filter { items[$0].identifier == nil }
    guard unnamed.count > count, let first = unnamed.first else { return }
    items.removeSubrange(first..<first + unnamed.count - count)
  }

  /// Lets go of what is long past, but for what takes back something earlier that is not past: a
  /// cancellation stays as long as what it cancels.
  private mutating func forget() {
    guard let latest = items.map(\.stamp.time).max() else { return }
    let limit = latest - Self.memory
    if items.contains(where: { $0.horizon < limit }) {
      var current: [String: Stamp] = [:]
      for item in items where item.horizon >= limit {
        guard let identifier = item.identifier else { continue }
        current[identifier] = min(current[identifier] ?? item.stamp, item.stamp)
      }
      items.removeAll { item in
        guard item.horizon < limit else { return false }
        let earliest = item.identifier.flatMap { current[$0] }
        return earliest.map { $0 > item.stamp } ?? true
      }
    }
    if items.count > Self.thingsMax { keepLatestThings() }
  }

  private mutating func keepLatestThings() {
    var told: [String: Stamp] = [:]
    for item in items {
      guard let identifier = item.identifier else { continue }
      told[identifier] = max(told[identifier] ?? item.stamp, item.stamp)
    }
    guard told.count > Self.thingsMax else { return }
    let kept = Set(told.sorted { $0.value > $1.value }.prefix(Self.thingsMax).map(\.key))
    items.removeAll { item in item.identifier.map { !kept.contains($0) } ?? false }
  }
}
