/// Counts by key. The same key again and again, as a herd gives it, costs a comparison and an
/// addition.
package struct Counter<Key: Hashable & Sendable>: Sendable {
  private var settled: [Key: Int] = [:]
  private var latest: Key?
  private var run = 0

  package init() {}

  package var isEmpty: Bool { latest == nil && settled.isEmpty }

  /// Everything that was counted.
  package var counts: [Key: Int] {
    var counts = settled
    if let latest { counts[latest, default: 0] += run }
    return counts
  }

  package mutating func add(_ key: Key, _ count: Int = 1) {
    if latest == key {
      run += count
      return
    }
    if let latest { settled[latest, default: 0] += run }
    latest = key
    run = count
  }

  package mutating func add(_ other: Counter) {
    for (key, count) in other.counts { add(key, count) }
  }
}
