package import CivilTime

/// A recent delivery that counts towards caps of the operator (rule V20).
package struct CapCountedDelivery: Hashable, Sendable {
  package var at: Instant
  /// The categories of the delivered occurrences, sorted. A digest may have several.
  package var categories: [Symbol]

  package init(at: Instant, categories: [Symbol]) {
    (self.at, self.categories) = (at, categories)
  }
}

extension Progress {
  /// The time for which these deliveries are remembered. Seven local dates are over after this
  /// time, whatever zones the recipient had.
  private static let cappedSpan = TimeSpan.days(10)
  /// The maximum number of remembered deliveries: the highest possible cap.
  private static let cappedMax = 1_000

  /// Counts a delivery towards the operator's caps on its categories.
  package mutating func count(delivery instant: Instant, in categories: Set<Symbol>) {
    forgetCapped(at: instant)
    if capped.count >= Self.cappedMax { removeOldestOfMostFrequentCategory() }
    let index = capped.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
    capped.insert(CapCountedDelivery(at: instant, categories: categories.sorted()), at: index)
  }

  /// Removes the deliveries that are too old to count, also those of a cap that was removed.
  mutating func forgetCapped(at now: Instant) {
    let oldest = now - Self.cappedSpan
    capped.removeAll { $0.at < oldest }
  }

  /// Removes the oldest delivery that belongs to the most frequent category alone. So the caps of
  /// other categories still count all their deliveries. If there is no such delivery, removes the
  /// oldest of all.
  private mutating func removeOldestOfMostFrequentCategory() {
    var counts: [Symbol: Int] = [:]
    for delivery in capped {
      for category in delivery.categories { counts[category, default: 0] += 1 }
    }
    let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    let index = capped.firstIndex { delivery in
      most.map { delivery.categories == [$0] } ?? true
    }
    capped.remove(at: index ?? capped.startIndex)
  }
}

extension CapCountedDelivery {
  func write(to writer: inout ByteWriter) {
    writer.signed(at.milliseconds)
    writer.count(categories.count)
    for category in categories { writer.symbol(category) }
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    self.init(at: Instant(milliseconds: try reader.signed()), categories: [])
    for _ in 0..<(try reader.count()) { categories.append(try reader.symbol()) }
  }
}
