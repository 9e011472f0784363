import Glibc

/// Consecutive requests of a recipient that are stored together: their bytes in the store's form,
/// and the plan of each.
package struct RequestPart: Sendable {
  /// The maximum number of bytes, unless a single request is longer. With the store's overhead it
  /// fits into a page of 4,096 bytes.
  static let sizeMax = 3_800

  /// The size in bytes of a request with one or two sentences.
  private static let typicalSize = 128

  /// The state of the part's separate row in the store.
  package enum Row: Sendable {
    /// The store has no row, a row with other bytes, or a row with the part's bytes.
    case none, outdated, same
  }

  /// The part's own key, under which the store has it. It is at most the lowest key of the part's
  /// requests, and above the keys of earlier parts.
  package private(set) var key: Int64
  package private(set) var bytes: [UInt8]
  package internal(set) var row: Row
  private var entries: [Entry]

  private struct Entry {
    var plan: RequestPlan
    /// The offset of the request in the part's bytes.
    var start: Int
    /// The offset of the request's texts, which follow its plan.
    var textsStart: Int
  }

  init(_ request: RequestedNotification) {
    self.init(key: request.plan.key, bytes: [], row: .none, entries: [])
    insert(request, at: 0)
  }

  /// Reads the bytes of a row with its key.
  package init(key: Int64, decoding bytes: [UInt8], row: Row) throws(CodingFailure) {
    let entries = try Self.entries(in: bytes)
    guard let first = entries.first, first.plan.key >= key,
      zip(entries, entries.dropFirst()).allSatisfy({ $0.plan.key < $1.plan.key })
    else { throw CodingFailure.malformed(offset: 0) }
    self.init(key: key, bytes: bytes, row: row, entries: entries)
  }

  /// Reads the bytes of a part without a row.
  init(decoding bytes: [UInt8]) throws(CodingFailure) {
    try self.init(key: .min, decoding: bytes, row: .none)
    key = entries[0].plan.key
  }

  private init(key: Int64, bytes: [UInt8], row: Row, entries: [Entry]) {
    (self.key, self.bytes, self.row, self.entries) = (key, bytes, row, entries)
  }

  private static func entries(in bytes: [UInt8]) throws(CodingFailure) -> [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(bytes.count / Self.typicalSize)
    let failure = bytes.withUnsafeBytes { bytes -> CodingFailure? in
      var reader = ByteReader(bytes)
      do throws(CodingFailure) {
        while !reader.isAtEnd {
          let start = reader.offset
          let plan = try RequestPlan(from: &reader)
          entries.append(Entry(plan: plan, start: start, textsStart: reader.offset))
          try RequestTexts.skip(in: &reader)
        }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    return entries
  }

  // MARK: - Requests by index

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  var lastKey: Int64 { entries.last?.plan.key ?? key }

  func plan(at position: Int) -> RequestPlan { entries[position].plan }

  func texts(at position: Int) -> RequestTexts {
    RequestTexts(bytes[entries[position].textsStart..<end(position)])
  }

  private func end(_ position: Int) -> Int {
    position + 1 < entries.count ? entries[position + 1].start : bytes.count
  }

  /// Returns the index of the first request with at least this key.
  func position(of key: Int64) -> Int { entries.partitionPoint { $0.plan.key < key } }

  /// Returns the index of the request whose texts begin with the given bytes.
  func position(beginningWith prefix: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return nil }
      return entries.indices.first { position in
        let start = entries[position].textsStart
        return start + prefix.count <= bytes.count
          && memcmp(first + start, prefix, prefix.count) == 0
      }
    }
  }

  // MARK: - Changes

  mutating func insert(_ request: RequestedNotification, at position: Int) {
    key = min(key, request.plan.key)
    var writer = ByteWriter()
    request.plan.write(to: &writer)
    let start = position < entries.count ? entries[position].start : bytes.count
    let planBytes = writer.bytes
    entries.insert(
      Entry(plan: request.plan, start: start, textsStart: start + planBytes.count), at: position)
    let requestBytes = planBytes + request.texts.bytes
    bytes.insert(contentsOf: requestBytes, at: start)
    moveOffsets(from: position + 1, by: requestBytes.count)
    markChanged()
  }

  mutating func remove(at position: Int) {
    let range = entries[position].start..<end(position)
    bytes.removeSubrange(range)
    entries.remove(at: position)
    moveOffsets(from: position, by: -range.count)
    markChanged()
  }

  private mutating func moveOffsets(from position: Int, by count: Int) {
    for position in entries.indices.dropFirst(position) {
      entries[position].start += count
      entries[position].textsStart += count
    }
  }

  private mutating func markChanged() {
    if row == .same { row = .outdated }
  }

  /// Splits off and returns the second half if the part is too long; otherwise returns nil.
  ///
  /// - Parameter isLast: whether the part is the last, which grows at its end. If so, only its last
  ///   request is split off.
  mutating func split(isLast: Bool) -> RequestPart? {
    guard bytes.count > Self.sizeMax, entries.count > 1 else { return nil }
    let half = entries.firstIndex { $0.start > bytes.count / 2 } ?? entries.count - 1
    let position = isLast ? entries.count - 1 : max(half, 1)
    let start = entries[position].start
    var secondHalf = RequestPart(
      key: entries[position].plan.key, bytes: Array(bytes[start...]), row: .none,
      entries: Array(entries[position...]))
    secondHalf.moveOffsets(from: 0, by: -start)
    bytes.removeSubrange(start...)
    entries.removeSubrange(position...)
    return secondHalf
  }
}
