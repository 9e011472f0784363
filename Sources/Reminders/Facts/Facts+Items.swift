extension Facts {
  /// The maximum number of remembered events of one type without an identifier. Events that still
  /// plan occurrences are remembered in addition.
  package static let reportsMax = 32

  /// Returns the items of a type, as a range of `items`.
  package func items(of type: Symbol) -> Range<Int> {
    guard !items.isEmpty else { return 0..<0 }
    let start = items.partitionPoint { $0.type < type }
    return start..<items[start...].partitionPoint { $0.type == type }
  }

  /// Returns the item of one entity as a range of `items`. If `identifier` is nil, returns all
  /// items of the type.
  func items(of type: Symbol, about identifier: String?) -> Range<Int> {
    guard let identifier else { return items(of: type) }
    return itemIndex(type, identifier).map { $0..<$0 + 1 } ?? 0..<0
  }

  package func item(_ type: Symbol, _ identifier: String) -> Item? {
    itemIndex(type, identifier).map { items[$0] }
  }

  private func itemIndex(_ type: Symbol, _ identifier: String) -> Int? {
    guard !items.isEmpty else { return nil }
    let identifier = ExactText(identifier)
    let index = items.partitionPoint { $0.isBefore(type, identifier) }
    guard index < items.endIndex, items[index].type == type,
      items[index].identifier.map(ExactText.init) == identifier
    else { return nil }
    return index
  }

  /// Records an event's report about an entity, unless a later report is known. The order of calls
  /// does not matter.
  mutating func note(_ report: Report, of type: Symbol, at stamp: Stamp) {
    guard report.identifier != nil || report.rememberedMax > 0 else { return }
    let item = Item(
      type: type, identifier: report.identifier, stamp: stamp, details: report.details)
    if let identifier = report.identifier, let index = itemIndex(type, identifier) {
      // The earliest stamp depends on which items were forgotten. So it is recorded only where it
      // is needed: to order entities with equal codes.
      let first = isCodeTaken(item) ? min(items[index].first, stamp) : nil
      if items[index].stamp < stamp { items[index] = item }
      if let first { items[index].first = first }
    } else {
      insert(item)
    }
  }

  /// Records the event that now has the highest number, and removes the one that had it before.
  mutating func recordPeak(_ report: Report, of type: Symbol, at stamp: Stamp) {
    items.removeSubrange(items(of: type))
    insert(
      Item(type: type, identifier: report.identifier, stamp: stamp, details: report.details))
  }

  /// Adds an item, unless the facts already have it. They may, because events are folded again
  /// after times were corrected.
  private mutating func insert(_ item: Item) {
    let index = items.partitionPoint { $0 < item }
    let isKnown = index < items.endIndex && !(item < items[index])
    if !isKnown { items.insert(item, at: index) }
  }
}
