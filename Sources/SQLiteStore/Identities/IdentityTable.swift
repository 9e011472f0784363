/// A hash table that maps slots to the rows of events. A slot is a hash of an event's identity (its
/// source and identifier). The highest bits of a slot choose its bucket. So entries are in the
/// order of their slots, except that a collision moves an entry to a following bucket. The
/// database's table of identities is sorted by slot too. So a pass over the buckets reads or writes
/// that table nearly in its sort order.
struct IdentityTable {
  struct Entry: Hashable {
    var slot: Int64
    /// The row of the event; 0 in a free bucket.
    var row: Int64
  }

  private static let freeBucket = Entry(slot: 0, row: 0)
  private static let bucketCountMin = 1_024

  /// The entries and the free buckets; their number is a power of two.
  private var buckets = [Entry](repeating: freeBucket, count: bucketCountMin)
  /// The number of entries.
  private(set) var count = 0

  var bucketCount: Int { buckets.count }

  /// The row of the event in a slot; nil if the slot is free.
  subscript(slot: Int64) -> Int64? {
    var index = home(of: slot)
    while buckets[index].row != 0 {
      if buckets[index].slot == slot { return buckets[index].row }
      index = (index + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Reserves capacity for more entries.
  mutating func reserve(_ additionalCount: Int) {
    var bucketCount = buckets.count
    while bucketCount < 2 * (count + additionalCount) { bucketCount *= 2 }
    if bucketCount > buckets.count { refill(with: buckets, bucketCount: bucketCount) }
  }

  /// Adds an entry, whose slot must be free. Amortized O(1).
  mutating func insert(slot: Int64, row: Int64) {
    // At most half of the buckets are used, so that entries stay near their home bucket.
    if 2 * (count + 1) > buckets.count { refill(with: buckets, bucketCount: 2 * buckets.count) }
    put(Entry(slot: slot, row: row))
  }

  /// Removes the events whose row is `row` or later. O(n).
  mutating func removeAll(from row: Int64) {
    refill(with: buckets.filter { $0.row < row }, bucketCount: buckets.count)
  }

  /// Returns the next `wanted` entries from a bucket on, sorted by slot. Returns fewer at the end
  /// of the table.
  ///
  /// - Returns: the entries, and the bucket after the last.
  func entries(from start: Int, count wanted: Int) -> (entries: [Entry], end: Int) {
    var entries: [Entry] = []
    var index = start
    while index < buckets.count, entries.count < wanted {
      if buckets[index].row != 0 { entries.append(buckets[index]) }
      index += 1
    }
    return (entries.sorted { $0.slot < $1.slot }, index)
  }

  /// Returns the bucket that the slot's highest bits choose. The sign bit is inverted, so buckets
  /// follow the order of signed slots.
  private func home(of slot: Int64) -> Int {
    let ordered = UInt64(bitPattern: slot) ^ 1 << 63
    return Int(truncatingIfNeeded: ordered >> UInt64(64 - buckets.count.trailingZeroBitCount))
  }

  /// Puts an entry into the first free bucket from its home bucket on.
  private mutating func put(_ entry: Entry) {
    var index = home(of: entry.slot)
    while buckets[index].row != 0 { index = (index + 1) & (buckets.count - 1) }
    buckets[index] = entry
    count += 1
  }

  /// Replaces the buckets by new ones with the given entries.
  private mutating func refill(with entries: [Entry], bucketCount: Int) {
    buckets = [Entry](repeating: Self.freeBucket, count: bucketCount)
    count = 0
    for entry in entries where entry.row != 0 { put(entry) }
  }
}
