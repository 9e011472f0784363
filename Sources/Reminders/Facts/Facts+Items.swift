extension Facts {
  /// The maximum number of events of one type without an identifier that are remembered. Events
  /// that still plan something are remembered in addition.
  package static let reportsMax = 32

  /// Returns the items of a type, as a range of `items`.
  package func items(of type: Symbol) -> Range<Int> {
    guard !items.isEmpty else { return 0..<0 }
    let start = items.partitionPoint { $0.type < type }
    return start..<items[start...].partitionPoint { $0.type == type }
  }

  /// Returns the item of one entity, or all items of a type if there is no identifier.
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
      // `first` depends on which items were forgotten, so it is recorded only to order equal codes.
      let first = isCodeTaken(item) ? min(items[index].first, stamp) : nil
      if items[index].stamp < stamp { items[index] = item }
      if let first { items[index].first = first }
    } else {
      insert(item)
    }
  }

  /// Records an event that has the highest number now, instead of the previous such event.
  mutating func recordPeak(_ report: Report, of type: Symbol, at stamp: Stamp) {
    items.removeSubrange(items(of: type))
    insert(
      Item(type: type, identifier: report.identifier, stamp: stamp, details: report.details))
  }

  /// Adds an item, unless the facts have it already: events are folded again after a correction of
  /// their times.
  private mutating func insert(_ item: Item) {
    let index = items.partitionPoint { $0 < item }
    let isKnown = index < items.endIndex && !(item < items[index])
    if !isKnown { items.insert(item, at: index) }
  }
}
