package import CivilTime
import Synchronization

/// One planned instant of a reminder for a recipient.
///
/// Its identity is (recipient, reminder, key), never its instant: a changed zone, a clock that
/// steps or a restart moves the instant but cannot make a second occurrence of it.
package struct Occurrence: Hashable, Sendable {
  /// What it is an occurrence of: the local date's day number (of several times a day, the number
  /// of the minute), the number that was reached, the millisecond of the event that triggered it,
  /// the place of its request in the order of arrival, or the hash of the thing that it is about,
  /// told apart from others by comparison.
  package var key: Int64
  package var planned: Instant
  /// The event that it follows, if any.
  package var cause: Stamp?
  /// The item of the facts that it is about, if any.
  package var item: Int?
  /// When what it announces begins: it is never said then or later (rule V10).
  package var deadline: Instant?
  /// Whether every lead of its reminder had passed when its thing was reported (rule T7).
  package var isLate = false

  /// The key that a code of 64 bits gives.
  static func key(_ code: UInt64) -> Int64 { Int64(code >> 1) }
}

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

/// What a context of many things has worked out of them: they are asked for one by one.
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
