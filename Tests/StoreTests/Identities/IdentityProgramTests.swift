import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E1: a random program on a store, compared with a dictionary of the ingested events.
@Suite struct IdentityProgramTests {
  @Test(arguments: Seeds.all)
  func `E1: the store knows the same events as a dictionary`(seed: UInt64) throws {
    var program = try IdentityProgram(seed: seed)
    for _ in 1...120 { try program.step() }
    try program.compareAll()
    #expect(program.knownEvents.count > 100)
  }
}

/// Batches, rollbacks, crashes, restarts and erasures in random order.
private struct IdentityProgram {
  private var random: SplitMix64
  private var directory: TemporaryDirectory
  private var store: SQLiteStore
  /// The event of each identity; nil once its recipient was erased.
  private(set) var knownEvents: [String: Event?] = [:]

  private static let people = ["amina", "bilal", "chen"]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path, identities: IdentityTests.pace)
  }

  mutating func step() throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<15: try takeBatch()
    case 15: try rollBack()
    case 16: try crash(isInTransaction: false)
    case 17: try crash(isInTransaction: true)
    case 18: try erase()
    default: try compareAll()
    }
  }

  private mutating func takeBatch() throws {
    let events = randomEvents()
    var knownEvents = knownEvents
    try store.transaction { try Self.take(events, &knownEvents, in: $0) }
    self.knownEvents = knownEvents
  }

  private mutating func rollBack() throws {
    let events = randomEvents()
    var knownEvents = knownEvents
    #expect(throws: StoreError.self) {
      try store.transaction { transaction in
        try Self.take(events, &knownEvents, in: transaction)
        try transaction.writeArrivals()
        try transaction.writeIdentities()
        throw Unexpected()
      }
    }
  }

  /// - Parameter isInTransaction: whether the crash is inside a transaction, which is lost.
  private mutating func crash(isInTransaction: Bool) throws {
    let crashed = try TemporaryDirectory()
    let events = randomEvents()
    var knownEvents = knownEvents
    if isInTransaction {
      try store.transaction { transaction in
        try Self.take(events, &knownEvents, in: transaction)
        try transaction.writeArrivals()
        try transaction.writeIdentities()
        try directory.copy(to: crashed)
      }
    } else {
      try directory.copy(to: crashed)
    }
    let generation = [1, 8, 8, 50].randomElement(using: &random) ?? 8
    let pace = UnwrittenIdentities.Pace(
      generation: generation, piece: Int.random(in: 1...9, using: &random))
    directory = crashed
    store = try SQLiteStore(directory: crashed.path, identities: pace)
  }

  private mutating func erase() throws {
    let name = Self.people.randomElement(using: &random) ?? ""
    guard let stored = try store.recipient(name) else { return }
    try store.transaction { try $0.erase(stored, at: Fixtures.noon) }
    for (identifier, event) in knownEvents where event?.recipient == name {
      knownEvents[identifier] = .some(nil)
    }
  }

  func compareAll() throws {
    try store.transaction { try compareAll(in: $0) }
  }

  private func compareAll(in transaction: borrowing StoreTransaction) throws {
    for (identifier, event) in knownEvents {
      let duplicate = event ?? Fixtures.event(identifier, data: "anything")
      #expect(try transaction.match(duplicate).isSame, "\(identifier)")
      guard event != nil else { continue }
      let other = Fixtures.event(identifier, data: "else")
      #expect(try transaction.match(other).isOther, "\(identifier)")
    }
    #expect(try transaction.match(Fixtures.event("never")).isNew)
  }

  /// Random events: new ones, duplicates, some with other content, some twice in one batch.
  private mutating func randomEvents() -> [Event] {
    (0..<Int.random(in: 1...20, using: &random)).map { _ in
      let number = Int.random(in: 0..<2_000, using: &random)
      let data = Int.random(in: 0..<10, using: &random) == 0 ? "other" : "{}"
      let knownIdentifier = knownEvents.keys.sorted().randomElement(using: &random) ?? "1"
      let identifier = number < 500 ? knownIdentifier : "\(number)"
      let recipient = Self.people[identifier.utf8.reduce(0) { $0 + Int($1) } % 3]
      return Fixtures.event(identifier, recipient: recipient, data: data)
    }
  }

  private static func take(
    _ events: [Event], _ knownEvents: inout [String: Event?],
    in transaction: borrowing StoreTransaction
  ) throws {
    for event in events {
      let match = try transaction.match(event)
      switch knownEvents[event.identifier] {
      case nil: #expect(match.isNew)
      case .some(nil): #expect(match.isSame)
      case .some(.some(let earlier)):
        #expect(earlier.data == event.data ? match.isSame : match.isOther)
      }
      guard case .new(let slot) = match else { continue }
      let existing = try transaction.recipient(named: event.recipient)
      var stored =
        try existing ?? transaction.insert(Recipient(name: event.recipient, now: event.time))
      stored.lastEvent = try transaction.append(
        event, slot: slot, row: stored.row, previous: stored.lastEvent, received: event.time)
      stored.hasUnsavedFacts = true
      try transaction.save([stored], [Schedule(due: nil, pending: 0)])
      knownEvents[event.identifier] = event
    }
  }
}
