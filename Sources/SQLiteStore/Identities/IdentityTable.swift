import GRDB
import Store

/// The rows of events by their slots: a hash table whose places are in the order of the slots, but
/// for neighbours, since slots are hashes themselves. Whoever goes through the places meets the
/// entries nearly in the order of their table on disk.
struct IdentityTable {
  struct Entry: Hashable {
    var slot: Int64
    /// 0 in a place that is free.
    var row: Int64
  }

  private static let free = Entry(slot: 0, row: 0)
  private static let smallest = 1_024

  private var places = [Entry](repeating: free, count: smallest)
  private(set) var count = 0

  var placeCount: Int { places.count }

  /// The row of an event, found by its slot.
  subscript(slot: Int64) -> Int64? {
    var place = home(of: slot)
    while places[place].row != 0 {
      if places[place].slot == slot { return places[place].row }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// Makes room for so many more at once.
  mutating func reserve(_ more: Int) {
    var wanted = places.count
    while wanted < 2 * (count + more) { wanted *= 2 }
    if wanted > places.count { refill(with: places, placeCount: wanted) }
  }

  /// Adds a slot that is not there yet. Amortised O(1).
  mutating func insert(slot: Int64, row: Int64) {
    // Half of the places stay free, so that entries stay near home.
    if 2 * (count + 1) > places.count { refill(with: places, placeCount: 2 * places.count) }
    put(Entry(slot: slot, row: row))
  }

  /// Removes the events from a row on. O(n).
  mutating func removeAll(from row: Int64) {
    refill(with: places.filter { $0.row < row }, placeCount: places.count)
  }

  /// The entries from a place on, at least so many if there are, in the order of their slots.
  ///
  /// - Returns: the entries, and the place after the last.
  func entries(from start: Int, count wanted: Int) -> (entries: [Entry], end: Int) {
    var entries: [Entry] = []
    var place = start
    while place < places.count, entries.count < wanted {
      if places[place].row != 0 { entries.append(places[place]) }
      place += 1
    }
    return (entries.sorted { $0.slot < $1.slot }, place)
  }

  /// The slot's highest bits, the lowest slot's first.
  private func home(of slot: Int64) -> Int {
    let ordered = UInt64(bitPattern: slot) ^ 1 << 63
    return Int(truncatingIfNeeded: ordered >> UInt64(64 - places.count.trailingZeroBitCount))
  }

  private mutating func put(_ entry: Entry) {
    var place = home(of: entry.slot)
    while places[place].row != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = entry
    count += 1
  }

  private mutating func refill(with entries: [Entry], placeCount: Int) {
    places = [Entry](repeating: Self.free, count: placeCount)
    count = 0
    for entry in entries where entry.row != 0 { put(entry) }
  }
}

extension SQLiteStore {
  /// Under which the store notes the keys of its hashes.
  static let hashKeysName = "hash keys"

  /// Refuses a file that is not ours, is ahead of this version, or is not all there. The connection
  /// cannot write: one that can would already change the file when it is opened or closed.
  ///
  /// - Parameter file: what errors speak of, if it is not the file that is opened.
  /// - Returns: the connection, closed.
  @discardableResult
  static func inspect(
    _ address: DatabaseAddress, naming file: String? = nil
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: address.path, configuration: configuration)
    try queue.read { database in
      try checkIdentity(database, file: file ?? address.file)
      try Completeness.check(database, file: file ?? address.file)
    }
    try queue.close()
    return queue
  }

  private static func checkIdentity(_ database: Database, file: String) throws {
    let found = try Int.fetchOne(database, sql: "PRAGMA application_id")
    guard found == Schema.applicationID else {
      throw StoreError.damaged(file: file, reason: "it is the database of another program")
    }
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= Schema.version else { throw StoreError.newer(file: file) }
  }
}
