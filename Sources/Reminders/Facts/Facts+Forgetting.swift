import CivilTime

/// Forgets remembered entities about which nothing is planned any more (rule H12).
extension Facts {
  /// The maximum number of a recipient's open entities. An event that would add another is refused
  /// (429).
  package static let openEntitiesMax = 256
  /// The maximum number of remembered finished entities of each type of event. The latest are
  /// remembered.
  package static let finishedEntitiesMax = 256

  /// Forgets finished entities that are old or too many. All reports about an identifier, of any
  /// type, are forgotten together. So a cancellation is not forgotten before the event that it
  /// cancels.
  ///
  /// - Parameter open: returns the indices of the items about which something is still planned.
  /// - Complexity: linear in the items; `open` is called only if something may be forgotten.
  package mutating func forgetFinished(_ catalog: Catalog, open: () -> Set<Int>) {
    Work.count(items.count)
    guard mayForget(catalog) else { return }
    var forgettable = ForgettableItems(items, catalog)
    forgettable.markOpen(open())
    let indicesToForget = forgettable.indicesToForget
    guard !indicesToForget.isEmpty else { return }
    var index = -1
    items.removeAll { _ in
      index += 1
      return indicesToForget.contains(index)
    }
  }
}

extension Facts {
  /// Returns whether any item is old, or a type has more items than are remembered. Allocates no
  /// memory.
  private func mayForget(_ catalog: Catalog) -> Bool {
    guard let now = items.lazy.map(\.stamp.time).max() else { return false }
    // Items of one type are adjacent, those without an identifier first.
    var (start, firstWithIdentifier) = (0, 0)
    for index in items.indices {
      let item = items[index]
      if item.isOld(at: now, catalog) { return true }
      if item.type != items[start].type { (start, firstWithIdentifier) = (index, index) }
      if item.identifier == nil { firstWithIdentifier = index + 1 }
      let count = firstWithIdentifier - start
      if count > 0, count > catalog.rememberedMax(of: item.type) { return true }
      if index + 1 - firstWithIdentifier > Self.finishedEntitiesMax { return true }
    }
    return false
  }
}

extension Item {
  /// Returns whether the time since the item's last instant exceeds the time for which items of its
  /// type are remembered. An item without identifier and fields is never old.
  fileprivate func isOld(at now: Instant, _ catalog: Catalog) -> Bool {
    guard !isBare, latestInstant < now - EntityUse.memoryMin else { return false }
    return latestInstant < now - catalog.entityUse.memory(of: type)
  }
}

/// The items of a recipient, grouped by entity, and the choice of the items to forget.
private struct ForgettableItems {
  private struct Entity {
    var items: [Int] = []
    /// The latest stamp of the items.
    var latest: Stamp
    /// Whether all items of the identifier are old.
    var isOld = true
    var isOpen = false
  }

  private let items: [Item]
  private let catalog: Catalog
  /// The time of the latest item, which stands for the current time.
  private let now: Instant
  private var entities: [ExactText: Entity] = [:]
  /// The items without an identifier, by type, in ascending order.
  private var itemsWithoutIdentifier: [Symbol: [Int]] = [:]
  /// The indices of the items about which something is still planned.
  private var open: Set<Int> = []

  init(_ items: [Item], _ catalog: Catalog) {
    (self.items, self.catalog) = (items, catalog)
    now = items.lazy.map(\.stamp.time).max() ?? Instant(milliseconds: 0)
    for index in items.indices { add(index) }
  }

  private mutating func add(_ index: Int) {
    let item = items[index]
    guard let identifier = item.identifier.map(ExactText.init) else {
      return itemsWithoutIdentifier[item.type, default: []].append(index)
    }
    var entity = entities[identifier] ?? Entity(latest: item.stamp)
    entity.items.append(index)
    entity.latest = max(entity.latest, item.stamp)
    entity.isOld = entity.isOld && item.isOld(at: now, catalog)
    entities[identifier] = entity
  }

  /// Records the indices of the items about which something is still planned.
  mutating func markOpen(_ open: Set<Int>) {
    self.open = open
    for identifier in entities.keys {
      let isOpen = entities[identifier]?.items.contains(where: open.contains) ?? false
      entities[identifier]?.isOpen = isOpen
    }
  }

  /// The items without an identifier, and the finished entities, that are old or too many.
  var indicesToForget: Set<Int> {
    var indicesToForget: Set<Int> = []
    for indices in itemsWithoutIdentifier.values {
      indicesToForget.formUnion(excess(of: indices))
    }
    let finished = entities.values.filter { !$0.isOpen }
    for entity in finished where entity.isOld { indicesToForget.formUnion(entity.items) }
    var counts: [Symbol: Int] = [:]
    for entity in finished.filter({ !$0.isOld }).sorted(by: { $0.latest > $1.latest }) {
      let types = entity.items.map { items[$0].type }
      for type in types { counts[type, default: 0] += 1 }
      let isExcess = types.contains { counts[$0, default: 0] > Facts.finishedEntitiesMax }
      if isExcess { indicesToForget.formUnion(entity.items) }
    }
    return indicesToForget
  }

  /// Returns the items of one type that have no identifier and are old or exceed the remembered
  /// number.
  private func excess(of indices: [Int]) -> [Int] {
    guard let first = indices.first else { return [] }
    let rememberedMax = catalog.rememberedMax(of: items[first].type)
    return indices.enumerated().filter { offset, index in
      !open.contains(index)
        && (offset < indices.count - rememberedMax || items[index].isOld(at: now, catalog))
    }.map(\.element)
  }
}
