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
    guard !items.isEmpty else { return 0..<0 }
    let start = items.place { $0.type < type }
    return start..<items[start...].place { $0.type == type }
  }

  package func item(_ type: Symbol, _ identifier: String) -> Item? {
    itemIndex(type, identifier).map { items[$0] }
  }

  private func itemIndex(_ type: Symbol, _ identifier: String) -> Int? {
    guard !items.isEmpty else { return nil }
    let identifier = ExactText(identifier)
    let index = items.place { $0.isBefore(type, identifier) }
    guard index < items.endIndex, items[index].type == type,
      items[index].identifier.map(ExactText.init) == identifier
    else { return nil }
    return index
  }

  /// Notes what an event says of a thing, unless a later one has said otherwise.
  ///
  /// Commutative for events that arrive at most 45 days late: what is let go is what any order of
  /// them would have let go.
  mutating func note(_ report: Report, of type: Symbol, at stamp: Stamp) {
    guard report.identifier != nil || report.kept > 0 else { return }
    let item = Item(
      type: type, identifier: report.identifier, stamp: stamp, details: report.details)
    if let identifier = report.identifier, let index = itemIndex(type, identifier) {
      // Kept where it decides about keys alone: it depends on what was let go meanwhile.
      let first = hasTwin(item) ? min(items[index].first, stamp) : nil
      if items[index].stamp < stamp { items[index] = item }
      if let first { items[index].first = first }
    } else {
      insert(item)
    }
  }

  /// Lets go of what facts do not remember for ever, of the types of some events.
  mutating func letGo(toldBy events: [Event]) {
    var types: [Symbol: Int] = [:]
    for event in events {
      guard case .report(let report) = event.content else { continue }
      if report.identifier == nil, report.kept > 0 { types[event.symbol] = report.kept }
    }
    for (type, count) in types { keepLatest(count, of: type) }
    if !items.isEmpty { forget() }
  }

  /// Takes items back that may have been let go.
  mutating func restore(_ kept: [Item]) {
    for item in kept {
      let isKnown = item.identifier.map { itemIndex(item.type, $0) != nil } ?? items.contains(item)
      if !isKnown { insert(item) }
    }
  }

  private mutating func insert(_ item: Item) {
    items.insert(item, at: items.place { $0 < item })
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
    Work.count(items.count)
    guard let latest = items.map(\.stamp.time).max() else { return }
    let limit = latest - Self.memory
    if items.contains(where: { $0.horizon < limit && !$0.isBare }) {
      var current: [ExactText: Stamp] = [:]
      for item in items where item.horizon >= limit {
        guard let identifier = item.identifier.map(ExactText.init) else { continue }
        current[identifier] = min(current[identifier] ?? item.stamp, item.stamp)
      }
      items.removeAll { item in
        guard item.horizon < limit, !item.isBare else { return false }
        let earliest = item.identifier.flatMap { current[ExactText($0)] }
        return earliest.map { $0 > item.stamp } ?? true
      }
    }
    if items.count > Self.thingsMax { keepLatestThings() }
  }

  private mutating func keepLatestThings() {
    var told: [ExactText: Stamp] = [:]
    for item in items {
      guard let identifier = item.identifier.map(ExactText.init) else { continue }
      told[identifier] = max(told[identifier] ?? item.stamp, item.stamp)
    }
    guard told.count > Self.thingsMax else { return }
    let kept = Set(told.sorted { $0.value > $1.value }.prefix(Self.thingsMax).map(\.key))
    items.removeAll { item in item.identifier.map { !kept.contains(ExactText($0)) } ?? false }
  }
}
