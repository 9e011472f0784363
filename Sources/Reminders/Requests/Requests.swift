/// A recipient's unfinished requests by key, up to a thousand.
///
/// Requests are divided into parts, so that a change affects one part. The last part is stored with
/// the facts; each other part has a row, which the store writes only if the part has changed.
package struct Requests: Sendable {
  /// The parts in the order of keys; none is empty.
  private var parts: [RequestPart] = []
  /// The keys of the store's rows whose parts were removed.
  private var removedRows: [Int64] = []
  /// The number of rows that have to be added after the facts were read.
  package private(set) var rowsMissing = 0

  package init() {}

  package var isEmpty: Bool { parts.isEmpty }

  package var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// The keys of the requests, which are the arrival numbers of their events.
  package var keys: [Int64] {
    var keys: [Int64] = []
    forEachPlan { keys.append($0.key) }
    return keys
  }

  func forEachPlan(_ body: (RequestPlan) -> Void) {
    for part in parts {
      for position in 0..<part.count { body(part.plan(at: position)) }
    }
  }

  func plan(of key: Int64) -> RequestPlan? {
    position(of: key).map { parts[$0.part].plan(at: $0.entry) }
  }

  package subscript(key: Int64) -> RequestedNotification? {
    position(of: key).map { request(at: $0) }
  }

  var all: [RequestedNotification] {
    parts.indices.flatMap { part in
      (0..<parts[part].count).map { request(at: (part, $0)) }
    }
  }

  private func request(at position: (part: Int, entry: Int)) -> RequestedNotification {
    let part = parts[position.part]
    return RequestedNotification(part.plan(at: position.entry), part.texts(at: position.entry))
  }

  // MARK: - Positions

  private func position(of key: Int64) -> (part: Int, entry: Int)? {
    let part = part(for: key)
    guard part >= 0 else { return nil }
    let entry = parts[part].position(of: key)
    guard entry < parts[part].count, parts[part].plan(at: entry).key == key else { return nil }
    return (part, entry)
  }

  /// Returns the index of the last part whose own key is at most `key`; -1 if there is none.
  private func part(for key: Int64) -> Int { parts.partitionPoint { $0.key <= key } - 1 }

  /// Returns the plan of the request with an identity; nil if there is none. The cost is linear in
  /// all requests.
  func plan(of identity: EventIdentity) -> RequestPlan? {
    let prefix = RequestTexts.encoded(identity)
    for part in parts {
      if let position = part.position(beginningWith: prefix) { return part.plan(at: position) }
    }
    return nil
  }

  // MARK: - Changes

  mutating func insert(_ request: RequestedNotification) {
    let key = request.plan.key
    var index = part(for: key)
    if index < 0 {
      // A single part without a row may change its key.
      guard parts.count == 1, parts[0].row == .none else {
        return parts.insert(RequestPart(request), at: 0)
      }
      index = 0
    }
    let position = parts[index].position(of: key)
    let isLast = index == parts.count - 1 && position == parts[index].count
    parts[index].insert(request, at: position)
    split(index, isLast: isLast)
  }

  private mutating func split(_ index: Int, isLast: Bool = false) {
    guard let secondHalf = parts[index].split(isLast: isLast) else { return }
    parts.insert(secondHalf, at: index + 1)
    split(index + 1)
    split(index)
  }

  mutating func remove(_ key: Int64) {
    guard let position = position(of: key) else { return }
    parts[position.part].remove(at: position.entry)
    guard parts[position.part].isEmpty else { return }
    let part = parts.remove(at: position.part)
    if part.row != .none { removedRows.append(part.key) }
  }

  mutating func change(_ body: (RequestedNotification) -> RequestedNotification) {
    for request in all {
      let new = body(request)
      guard new != request else { continue }
      remove(request.plan.key)
      insert(new)
    }
  }
}

extension Requests: Hashable {
  /// Whether the two have the same requests, even if they are divided differently.
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.all == right.all
  }

  package func hash(into hasher: inout Hasher) { forEachPlan { hasher.combine($0) } }
}

// MARK: - In the store

extension Requests {
  /// The parts with separate rows. Unchanged rows need not be written.
  package var rows: ArraySlice<RequestPart> { parts.dropLast() }

  /// The keys of the store's rows that have to be deleted.
  package var rowsToDelete: [Int64] {
    guard let last = parts.last, last.row != .none else { return removedRows }
    return removedRows + [last.key]
  }

  /// Writes the number of parts, and the last part.
  func write(to writer: inout ByteWriter) {
    writer.count(parts.count + rowsMissing)
    guard let last = parts.last else { return }
    writer.count(last.bytes.count)
    writer.append(last.bytes[...])
  }

  init(from reader: inout ByteReader) throws(CodingFailure) {
    let count = try reader.unsigned()
    guard count > 0 else { return }
    parts = [try RequestPart(decoding: try reader.block())]
    rowsMissing = Int(clamping: count - 1)
  }

  /// Adds the parts of separate rows, in the order of their keys.
  mutating func add(_ rows: [RequestPart]) throws(CodingFailure) {
    let isInOrder = zip(rows, rows.dropFirst() + parts).allSatisfy { $0.lastKey < $1.key }
    guard rows.count == rowsMissing, isInOrder else { throw CodingFailure.malformed(offset: 0) }
    parts = rows + parts
    rowsMissing = 0
  }
}

extension Recipient {
  /// Adds the requests of separate rows, in the order of their keys.
  ///
  /// - Throws: if rows are missing or do not match the recipient's facts.
  package mutating func add(_ rows: [RequestPart]) throws(CodingFailure) {
    try facts.requests.add(rows)
  }
}
