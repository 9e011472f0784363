import Synchronization

/// What is planned of one reminder for the things that its event speaks of.
struct ItemOccurrences: Sendable {
  /// Whether past or to come, each with a key of its own.
  var all: [Occurrence]
  /// Those of `all` that would not have been said before their thing was told of.
  var isFresh: [Bool]
  /// The places in `all` by key.
  private var places: [Int64: Int] = [:]

  init(all: [Occurrence], isFresh: [Bool]) {
    (self.all, self.isFresh) = (all, isFresh)
  }

  var fresh: [Occurrence] { all.indices.filter { isFresh[$0] }.map { all[$0] } }

  /// Whoever looks many up has them by key.
  mutating func sortByKey() {
    Work.count(all.count)
    places = Dictionary(all.indices.map { (all[$0].key, $0) }) { first, _ in first }
  }

  subscript(key: Int64) -> Occurrence? {
    guard places.isEmpty else {
      Work.count()
      return places[key].map { all[$0] }
    }
    Work.count(all.count)
    return all.first { $0.key == key }
  }
}

/// What a situation of many things has worked out of them: they are asked for one by one.
final class ItemMemo: Sendable {
  private let codes = Mutex<[UInt64]?>(nil)
  private let occurrences = Mutex<[Symbol: ItemOccurrences]>([:])

  func codes(_ facts: Facts) -> [UInt64] {
    codes.withLock { known in
      let codes = known ?? facts.itemCodes()
      known = codes
      return codes
    }
  }

  func occurrences(
    of reminder: Symbol, _ work: () -> ItemOccurrences
  ) -> ItemOccurrences {
    if let known = occurrences.withLock({ $0[reminder] }) { return known }
    var new = work()
    new.sortByKey()
    occurrences.withLock { $0[reminder] = new }
    return new
  }
}
