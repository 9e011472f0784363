import CivilTime
import TestSupport
import Testing

@testable import Reminders

/// A recipient's requests are stored in parts. A store that writes only the rows of changed parts
/// still has all requests.
@Suite struct RequestPartPropertyTests {
  /// The rows of requests in a store.
  private struct Rows {
    /// The bytes of each row, by key.
    private(set) var contents: [Int64: [UInt8]] = [:]
    private(set) var writeCount = 0

    mutating func save(_ requests: Requests) {
      for key in requests.rowsToDelete { contents[key] = nil }
      for part in requests.rows where part.row != .same {
        contents[part.key] = part.bytes
        writeCount += 1
      }
    }

    /// Returns the facts as a store reads them, with the requests from the rows.
    func read(_ facts: Facts) throws -> Facts {
      let decoded = try facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
      var recipient = Recipient(name: "", facts: decoded, progress: Progress(cutoff: utc(0)))
      try recipient.add(
        contents.sorted { $0.key < $1.key }.map {
          try RequestPart(key: $0.key, decoding: $0.value, row: .same)
        })
      return recipient.facts
    }
  }

  @Test(arguments: Seeds.all)
  func `requests in parts are read as they were written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<8 {
      var (facts, rows, model) = (Facts(), Rows(), [Int64: RequestedNotification]())
      let lengths = Array([10, 300, 3_000, 9_000].shuffled(using: &random).prefix(2))
      let keyMax = Int64.random(in: 5...200, using: &random)
      for step in 1...40 {
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          let key = Int64.random(in: 1...keyMax, using: &random)
          if model[key] == nil, Int.random(in: 0..<3, using: &random) > 0 {
            let length = lengths[Int.random(in: 0..<lengths.count, using: &random)]
            let request = Self.request(key, Int.random(in: 0...length, using: &random))
            model[key] = request
            facts.note(request)
          } else {
            model[key] = nil
            facts.forget(requests: [key])
          }
        }
        rows.save(facts.requests)
        facts = try rows.read(facts)
        try #require(facts.requests.count == model.count, "seed \(seed)")
        for key in 1...keyMax where step % 8 == 0 {
          try #require(facts.requests[key] == model[key], "seed \(seed), key \(key)")
        }
        try Self.expectLimitedSize(facts.requests, rows, "seed \(seed)")
      }
    }
  }

  /// Expects that only a row with a single request exceeds the maximum size, and that no stored row
  /// is unused.
  private static func expectLimitedSize(_ requests: Requests, _ rows: Rows, _ seed: String) throws {
    try #require(Set(requests.rows.map(\.key)) == Set(rows.contents.keys), "\(seed)")
    for part in requests.rows where part.bytes.count > RequestPart.sizeMax {
      try #require(part.count == 1, "\(seed)")
    }
  }

  @Test func `unchanged requests write no row, and a changed request at most two`() throws {
    var (facts, rows) = (Facts(), Rows())
    for key in 1...1_000 as ClosedRange<Int64> { facts.note(Self.request(key * 2, 150)) }
    rows.save(facts.requests)
    #expect((40...80).contains(rows.contents.count), "\(rows.contents.count)")
    facts = try rows.read(facts)
    let initialCount = rows.writeCount
    rows.save(facts.requests)
    #expect(rows.writeCount == initialCount)
    facts.note(Self.request(901, 150))
    rows.save(facts.requests)
    #expect(rows.writeCount - initialCount <= 2)
    facts = try rows.read(facts)
    let identity = try #require(facts.requests[1_400]).identity
    facts.withdraw(identity, key: nil, at: Stamp(time: utc(1), order: 9_999))
    let countBeforeWithdrawal = rows.writeCount
    rows.save(facts.requests)
    #expect(rows.writeCount == countBeforeWithdrawal + 1)
    #expect(try rows.read(facts).requests[1_400] == nil)
  }

  /// Facts with a missing row are rejected as a whole, and are not read without some requests.
  @Test func `facts with a missing row are rejected`() throws {
    var (facts, rows) = (Facts(), Rows())
    for key in 1...100 as ClosedRange<Int64> { facts.note(Self.request(key, 150)) }
    rows.save(facts.requests)
    let decoded = try facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
    let allRows = facts.requests.rows.map { $0 }
    var recipient = Recipient(name: "", facts: decoded, progress: Progress(cutoff: utc(0)))
    #expect(decoded.requests.rowsMissing == allRows.count && allRows.count > 2)
    for rows in [Array(allRows.dropFirst()), allRows.dropLast(), [], allRows.reversed()] {
      #expect(throws: CodingFailure.self) { try recipient.add(rows) }
    }
    try recipient.add(allRows)
    #expect(recipient.facts == facts)
  }

  private static func request(_ key: Int64, _ length: Int) -> RequestedNotification {
    RequestedNotification(
      identity: EventIdentity(source: "test", identifier: "\(key)"),
      stamp: Stamp(time: utc(key % 7), order: key),
      content: RequestedNotification.Content(
        category: Symbol("NOTE"), planned: utc(1_000 + key), expires: .days(1), channels: [],
        isInteractive: key % 2 == 0, title: "No. \(key)",
        body: String(repeating: "x", count: length), details: key % 3 == 0 ? "{}" : ""))
  }
}

private func utc(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1_000) }
