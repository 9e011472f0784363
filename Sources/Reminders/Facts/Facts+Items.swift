package import CivilTime

extension Facts {
  /// How many events of one type without an identifier are remembered, beside those that still plan
  /// something.
  package static let reportsMax = 32

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

  /// Notes what an event says about an entity, unless a later one has said otherwise. Commutative.
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

  private mutating func insert(_ item: Item) {
    items.insert(item, at: items.place { $0 < item })
  }
}

/// What is remembered of one thing that events have spoken of: what the latest said.
package struct Item: Hashable, Sendable {
  package let type: Symbol
  /// What it is, byte for byte; nil for an event that stands for itself.
  package let identifier: String?
  package let stamp: Stamp
  /// The earliest event that is known to have told of it, where its code is another thing's too;
  /// elsewhere the latest, so that any order of arrival gives the same.
  package internal(set) var first: Stamp
  package let details: [Detail]
  /// What the keys of its occurrences and the choice of its messages are made of. Things of one
  /// person that have the same are told apart by `Facts.itemCodes`.
  package let code: UInt64

  package init(
    type: Symbol, identifier: String?, stamp: Stamp, first: Stamp? = nil, details: [Detail]
  ) {
    self.type = type
    self.identifier = identifier
    self.stamp = stamp
    self.first = first ?? stamp
    self.details = details
    code = Self.code(identifier, stamp)
  }

  /// A hash that is the same in the service and in a simulation, which a counter would not be.
  private static func code(_ identifier: String?, _ stamp: Stamp) -> UInt64 {
    if let identifier { return stableHash(identifier) }
    let time = UInt64(bitPattern: stamp.time.milliseconds)
    return mixed(time) ^ mixed(UInt64(bitPattern: stamp.order) &+ 1)
  }

  package func instant(_ field: Symbol) -> Instant? {
    for detail in details where detail.field == field {
      if case .instant(let instant) = detail.value { return instant }
    }
    return nil
  }

  /// The last instant of which it speaks.
  var horizon: Instant {
    details.reduce(stamp.time) { latest, detail in
      if case .instant(let instant) = detail.value { max(latest, instant) } else { latest }
    }
  }

  /// Whether it is nothing but that something happened, which a streak may count for as long as it
  /// lasts; there are few of a type.
  var isBare: Bool { identifier == nil && details.isEmpty }

  /// Whether it speaks of the same thing as another, be it in another type of event.
  func isSameThing(as other: Item) -> Bool {
    guard let identifier, let another = other.identifier else {
      return identifier == nil && other.identifier == nil && type == other.type
        && stamp == other.stamp
    }
    return ExactText(identifier) == ExactText(another)
  }

  /// Whether it stands before the place of a thing: by type, then by identifier, those without one
  /// first.
  func isBefore(_ otherType: Symbol, _ other: ExactText?) -> Bool {
    if type != otherType { return type < otherType }
    guard let other else { return false }
    return identifier.map { ExactText($0) < other } ?? true
  }
}

extension Item: Comparable {
  /// By type, then by identifier, then by stamp: the order in which they are kept.
  package static func < (left: Item, right: Item) -> Bool {
    let (one, other) = (left.identifier.map(ExactText.init), right.identifier.map(ExactText.init))
    if left.type == right.type, one == other { return left.stamp < right.stamp }
    return left.isBefore(right.type, other)
  }
}
