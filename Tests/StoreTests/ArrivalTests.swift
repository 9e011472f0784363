import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E1: events of a transaction can be matched before they are written at its end.
@Suite struct ArrivalTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
    try store.take(Fixtures.event("0"))
  }

  private func append(
    _ event: Event, at slot: Int64? = nil, in transaction: borrowing StoreTransaction
  ) throws -> Int64 {
    guard case .new(let freeSlot) = try transaction.match(event) else { throw Unexpected() }
    let previous = try transaction.recipient(row: 1)?.lastEvent ?? 0
    return try transaction.append(
      event, slot: slot ?? freeSlot, row: 1, previous: previous, received: Fixtures.noon)
  }

  @Test func `E1: an event is matched within its own transaction`() throws {
    try store.transaction { transaction in
      _ = try append(Fixtures.event(), in: transaction)
      #expect(try transaction.match(Fixtures.event()).isSame)
      #expect(try transaction.match(Fixtures.event("2")).isNew)
      let others = [
        Fixtures.event(type: "streak.started"), Fixtures.event(recipient: "bilal"),
        Fixtures.event(time: Fixtures.noon + .milliseconds(1)), Fixtures.event(isTimeGiven: false),
        Fixtures.event(data: ""),
      ]
      for other in others { #expect(try transaction.match(other).isOther) }
    }
    #expect(try store.match(Fixtures.event()).isSame)
  }

  @Test func `E1: events of an unsaved recipient are matched`() throws {
    try store.transaction { transaction in
      let recipients = ["x", "y"].map {
        transaction.admit(Recipient(name: $0, now: Fixtures.noon))
      }
      for stored in recipients {
        let event = Fixtures.event(stored.recipient.name, recipient: stored.recipient.name)
        guard case .new(let slot) = try transaction.match(event) else { throw Unexpected() }
        _ = try transaction.append(
          event, slot: slot, row: stored.row, previous: 0, received: Fixtures.noon)
      }
      try transaction.writeArrivals()
      for name in ["x", "y"] {
        #expect(try transaction.match(Fixtures.event(name, recipient: name)).isSame)
        #expect(try transaction.match(Fixtures.event(name, recipient: "z")).isOther)
      }
      #expect(try transaction.match(Fixtures.event("0")).isSame)
    }
  }

  @Test func `E1: the arrival time of an event without a time is not compared`() throws {
    try store.transaction { transaction in
      _ = try append(Fixtures.event(isTimeGiven: false), in: transaction)
      let later = Fixtures.event(time: Fixtures.noon + .hours(1), isTimeGiven: false)
      #expect(try transaction.match(later).isSame)
    }
  }

  @Test func `E1: two identities with the same hash are distinguished`() throws {
    guard case .new(let slot) = try store.match(Fixtures.event()) else { throw Unexpected() }
    try store.transaction { transaction in
      _ = try append(Fixtures.event("other"), at: slot, in: transaction)
      guard case .new(slot &+ 1) = try transaction.match(Fixtures.event()) else {
        throw Unexpected()
      }
      _ = try append(Fixtures.event(), in: transaction)
      #expect(try transaction.match(Fixtures.event()).isSame)
    }
    #expect(try store.match(Fixtures.event()).isSame)
  }

  @Test func `20,000 events of a transaction are numbered in their order`() throws {
    let count = 20_000
    let rows = try store.transaction { transaction in
      try (1...count).map { try append(Fixtures.event("\($0)"), in: transaction) }
    }
    #expect(rows == (2...Int64(count + 1)).map { $0 })
    let identifiers: [String] = try ask(directory, "SELECT identifier FROM event ORDER BY id")
    #expect(identifiers == (0...count).map { "\($0)" })
    for number in [1, 16_384, 16_385, count] {
      #expect(try store.match(Fixtures.event("\(number)")).isSame)
    }
  }

  @Test func `E3: an event whose transaction fails leaves nothing behind`() throws {
    #expect(throws: StoreError.self) {
      try store.transaction { transaction in
        _ = try append(Fixtures.event(), in: transaction)
        throw Unexpected()
      }
    }
    #expect(try store.match(Fixtures.event()).isNew)
    try store.take(Fixtures.event("2"))
    #expect(try ask(directory, "SELECT count(*) FROM event") == [2])
  }

  @Test func `H4: erasure clears events of the same transaction`() throws {
    try store.transaction { transaction in
      var stored = try #require(try transaction.recipient(row: 1))
      stored.lastEvent = try append(Fixtures.event(data: "secret"), in: transaction)
      try transaction.erase(stored, at: Fixtures.noon)
      #expect(try transaction.match(Fixtures.event(data: "secret")).isSame)
    }
    let texts: [String] = try ask(
      directory, "SELECT source || identifier || type || data FROM event")
    #expect(texts == ["", ""])
  }
}
