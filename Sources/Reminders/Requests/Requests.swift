/// What apps want said to a person that is not settled yet, by key: few or a thousand.
///
/// They stand in parts, so that one more or less changes one part. The last stands with the facts,
/// and each of the others in a row of its own, which the store writes only when it has changed.
package struct Requests: Sendable {
  /// In the order of their keys; none is empty.
  private var parts: [RequestPart] = []
  /// The rows in the store of parts that are no more.
  private var left: [Int64] = []
  /// How many rows are still to be added to what was read.
  package private(set) var rowsMissing = 0

  package init() {}

  package var isEmpty: Bool { parts.isEmpty }

  package var count: Int { parts.reduce(0) { $0 + $1.count } }

  func forEachPlan(_ body: (RequestPlan) -> Void) {
    for part in parts {
      for place in 0..<part.count { body(part.plan(at: place)) }
    }
  }

  func plan(of key: Int64) -> RequestPlan? {
    place(of: key).map { parts[$0.part].plan(at: $0.entry) }
  }

  package subscript(key: Int64) -> RequestedNotification? {
    place(of: key).map { request(at: $0) }
  }

  private var all: [RequestedNotification] {
    parts.indices.flatMap { part in
      (0..<parts[part].count).map { request(at: (part, $0)) }
    }
  }

  private func request(at place: (part: Int, entry: Int)) -> RequestedNotification {
    let part = parts[place.part]
    return RequestedNotification(part.plan(at: place.entry), part.texts(at: place.entry))
  }

  // MARK: - Where they are

  private func place(of key: Int64) -> (part: Int, entry: Int)? {
    let part = part(for: key)
    guard part >= 0 else { return nil }
    let entry = parts[part].place(of: key)
    guard entry < parts[part].count, parts[part].plan(at: entry).key == key else { return nil }
    return (part, entry)
  }

  /// The last part whose name is not above a key; -1 if all are.
  private func part(for key: Int64) -> Int { parts.place { $0.key <= key } - 1 }

  /// Cost: linear in all of them.
  func plan(of identity: EventIdentity) -> RequestPlan? {
    let name = RequestTexts.encoded(identity)
    for part in parts {
      if let place = part.place(beginningWith: name) { return part.plan(at: place) }
    }
    return nil
  }

  // MARK: - Changes

  mutating func insert(_ request: RequestedNotification) {
    let key = request.plan.key
    var index = part(for: key)
    if index < 0 {
      // What has no row and stands alone is called as it likes.
      guard parts.count == 1, parts[0].row == .none else {
        return parts.insert(RequestPart(request), at: 0)
      }
      index = 0
    }
    let place = parts[index].place(of: key)
    let isLast = index == parts.count - 1 && place == parts[index].count
    parts[index].insert(request, at: place)
    split(index, isLast: isLast)
  }

  private mutating func split(_ index: Int, isLast: Bool = false) {
    guard let rest = parts[index].split(isLast: isLast) else { return }
    parts.insert(rest, at: index + 1)
    split(index + 1)
    split(index)
  }

  mutating func remove(_ key: Int64) {
    guard let place = place(of: key) else { return }
    parts[place.part].remove(at: place.entry)
    guard parts[place.part].isEmpty else { return }
    let part = parts.remove(at: place.part)
    if part.row != .none { left.append(part.key) }
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
  /// However they stand in parts.
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.all == right.all
  }

  package func hash(into hasher: inout Hasher) { forEachPlan { hasher.combine($0) } }
}

// MARK: - In the store

extension Requests {
  /// The parts that stand in rows of their own; those whose row is the same need not be written.
  package var rows: ArraySlice<RequestPart> { parts.dropLast() }

  /// The rows that the store has and must not have any more.
  package var rowsLeft: [Int64] {
    guard let last = parts.last, last.row != .none else { return left }
    return left + [last.key]
  }

  /// Writes the last part, and how many there are.
  func write(to writer: inout ByteWriter) {
    writer.count(parts.count + rowsMissing)
    guard let last = parts.last else { return }
    writer.count(last.bytes.count)
    writer.append(last.bytes[...])
  }

  /// Reads the last part.
  init(from reader: inout ByteReader) throws(CodingFailure) {
    let count = try reader.unsigned()
    guard count > 0 else { return }
    parts = [try RequestPart(decoding: try reader.block())]
    rowsMissing = Int(clamping: count - 1)
  }

  /// Adds the parts that stand in rows of their own, in the order of their names.
  fileprivate mutating func add(_ rows: [RequestPart]) throws(CodingFailure) {
    let isInOrder = zip(rows, rows.dropFirst() + parts).allSatisfy { $0.lastKey < $1.key }
    guard rows.count == rowsMissing, isInOrder else { throw CodingFailure.malformed(offset: 0) }
    parts = rows + parts
    rowsMissing = 0
  }
}

extension Recipient {
  /// Adds the requests that stand in rows of their own, in the order of their names.
  ///
  /// - Throws: if some are missing, or are not this person's.
  package mutating func add(_ rows: [RequestPart]) throws(CodingFailure) {
    try facts.requests.add(rows)
  }
}
