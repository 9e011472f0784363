import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E1: an event is known while its identity is in memory, being written, or in its table, and
/// after restarts.
@Suite struct IdentityTests {
  /// Generations of 8 identities, written two or more at a time.
  static let pace = UnwrittenIdentities.Pace(generation: 8, piece: 2)

  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path, identities: Self.pace)
  }

  @Test func `E1: an event is known wherever its identity is stored`() throws {
    for number in 1...60 {
      try store.take(Fixtures.event("\(number)"))
      try expectKnown(1...number, by: store)
      #expect(try missingCount() == 0)
    }
    // All but the last two generations are written.
    #expect(try completeThrough() >= 44)
  }

  @Test func `a transaction writes few identities and often none`() throws {
    var previousCount = 0
    var idleTransactions = 0
    for number in 1...100 {
      try store.take(Fixtures.event("\(number)"))
      let count = try writtenCount()
      #expect(count - previousCount <= 4)
      idleTransactions += count == previousCount ? 1 : 0
      previousCount = count
    }
    #expect(idleTransactions >= 40)
    #expect(previousCount >= 84)
  }

  @Test func `E3: a crash at any point loses no event`() throws {
    for number in 1...50 {
      try store.take(Fixtures.event("\(number)"))
      let crashed = try TemporaryDirectory()
      try directory.copy(to: crashed)
      let pace = number % 2 == 0 ? Self.pace : UnwrittenIdentities.Pace()
      let reopened = try SQLiteStore(directory: crashed.path, identities: pace)
      try expectKnown(1...number, by: reopened)
    }
  }

  @Test func `after several crashes at most two generations are read again`() throws {
    var crashed = directory
    for restart in 1...6 {
      let next = try TemporaryDirectory()
      let store = try SQLiteStore(directory: copy(crashed, to: next), identities: Self.pace)
      for number in 1...7 { try store.take(Fixtures.event("\(restart) \(number)")) }
      #expect(try Int64(7 * restart) - completeThrough(next) <= 15)
      crashed = try TemporaryDirectory()
      try next.copy(to: crashed)
    }
  }

  @Test func `identities of an uncommitted transaction are lost with it`() throws {
    for number in 1...11 { try store.take(Fixtures.event("\(number)")) }
    let crashed = try TemporaryDirectory()
    try store.transaction { transaction in
      for number in 12...40 { try append("\(number)", in: transaction) }
      try transaction.writeArrivals()
      try transaction.writeIdentities()
      try directory.copy(to: crashed)
    }
    let reopened = try SQLiteStore(directory: crashed.path, identities: Self.pace)
    try expectKnown(1...11, by: reopened)
    try expectKnown(1...40, by: store)
  }

  @Test func `a rollback leaves pending identities to a later transaction`() throws {
    for number in 1...20 {
      #expect(throws: StoreError.self) {
        try store.transaction { transaction in
          for number in 1...9 { try append("lost \(number)", in: transaction) }
          try transaction.writeArrivals()
          try transaction.writeIdentities()
          throw Unexpected()
        }
      }
      #expect(try store.match(Fixtures.event("lost 1")).isNew)
      try store.take(Fixtures.event("\(number)"))
      #expect(try missingCount() == 0)
    }
    try expectKnown(1...20, by: store)
    #expect(try completeThrough() > 0)
  }

  @Test func `E5: identities with the same hash are distinguished wherever stored`() throws {
    let (directory, hash) = (try TemporaryDirectory(), IdentityHash(width: 0))
    let store = try SQLiteStore(directory: directory.path, identities: Self.pace, hash: hash)
    let twins = ["one", "another"]
    for number in 1...40 {
      if number == 3 { try store.take(Fixtures.event(twins[0])) }
      if number == 9 { try store.take(Fixtures.event(twins[1])) }
      try store.take(Fixtures.event("\(number)"))
      let crashed = try TemporaryDirectory()
      let reopened = try SQLiteStore(
        directory: copy(directory, to: crashed), identities: Self.pace, hash: hash)
      for store in [store, reopened] {
        #expect(try store.match(Fixtures.event(twins[0])).isSame == (number >= 3))
        #expect(try store.match(Fixtures.event(twins[1])).isSame == (number >= 9))
        #expect(try store.match(Fixtures.event(twins[0], data: "")).isOther == (number >= 3))
      }
    }
  }

  @Test(arguments: [0, 5, 9, 12, 30])
  func `H4: an erased recipient's events are known after a crash`(later: Int) throws {
    for number in 1...5 { try store.take(Fixtures.event("\(number)", data: "secret")) }
    for number in 0..<later { try store.take(Fixtures.event("b\(number)", recipient: "bilal")) }
    let stored = try #require(try store.recipient("amina"))
    try store.transaction { try $0.erase(stored, at: Fixtures.noon) }
    for number in later..<later + 10 {
      let crashed = try TemporaryDirectory()
      let reopened = try SQLiteStore(
        directory: copy(directory, to: crashed), identities: Self.pace)
      for number in 1...5 {
        #expect(try store.match(Fixtures.event("\(number)", data: "secret")).isSame)
        #expect(try reopened.match(Fixtures.event("\(number)", data: "secret")).isSame)
      }
      try store.take(Fixtures.event("b\(number)", recipient: "bilal"))
    }
  }

  // MARK: - Helpers

  /// Expects that the store knows these events and their content, but not the next one.
  private func expectKnown(_ numbers: ClosedRange<Int>, by store: SQLiteStore) throws {
    try store.transaction { try expectKnown(numbers, in: $0) }
  }

  private func expectKnown(
    _ numbers: ClosedRange<Int>, in transaction: borrowing StoreTransaction
  ) throws {
    for number in numbers {
      #expect(try transaction.match(Fixtures.event("\(number)")).isSame)
      #expect(try transaction.match(Fixtures.event("\(number)", data: "")).isOther)
    }
    #expect(try transaction.match(Fixtures.event("\(numbers.upperBound + 1)")).isNew)
  }

  private func append(_ identifier: String, in transaction: borrowing StoreTransaction) throws {
    let event = Fixtures.event(identifier)
    guard case .new(let slot) = try transaction.match(event) else { throw Unexpected() }
    _ = try transaction.append(event, slot: slot, row: 1, previous: 0, received: Fixtures.noon)
  }

  private func copy(_ from: TemporaryDirectory, to other: TemporaryDirectory) throws -> String {
    try from.copy(to: other)
    return other.path
  }

  private func writtenCount() throws -> Int {
    try ask(directory, "SELECT count(*) FROM event_identity")[0]
  }

  private func completeThrough(_ directory: TemporaryDirectory? = nil) throws -> Int64 {
    try ask(
      directory ?? self.directory,
      """
      SELECT CAST(value AS INTEGER) FROM meta WHERE key = '\(StoreTransaction.completeIdentities)'
      """)[0]
  }

  /// Returns the number of events whose identities are marked as written but are not in the table.
  private func missingCount() throws -> Int {
    try ask(
      directory,
      """
      SELECT count(*) FROM event WHERE id <= \(completeThrough())
      AND NOT EXISTS (SELECT 1 FROM event_identity WHERE event_identity.event = event.id)
      """)[0]
  }
}
