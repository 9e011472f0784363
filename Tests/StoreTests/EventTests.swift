import CivilTime
import GRDB
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E1: duplicate events, conflicting events and new ones.
@Suite struct EventTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
  }

  @Test func `E1: an identical event is a duplicate`() throws {
    try store.take(Fixtures.event())
    #expect(try store.match(Fixtures.event()).isSame)
  }

  @Test(arguments: [
    Fixtures.event(type: "streak.started"), Fixtures.event(recipient: "bilal"),
    Fixtures.event(time: Fixtures.noon + .milliseconds(1)), Fixtures.event(isTimeGiven: false),
    Fixtures.event(data: #"{"day":1}"#), Fixtures.event(data: ""),
  ])
  func `E1: other content under the same identity is a conflict`(event: Event) throws {
    try store.take(Fixtures.event())
    try store.take(Fixtures.event("0", recipient: "bilal"))
    #expect(try store.match(event).isOther)
  }

  @Test(arguments: [
    Fixtures.event("2"), Fixtures.event(source: "test2"), Fixtures.event("tes", source: "t1"),
    Fixtures.event("test", source: "1"),
  ])
  func `E1: another identity is a new event`(event: Event) throws {
    try store.take(Fixtures.event())
    #expect(try store.match(event).isNew)
  }

  @Test func `E1: the arrival time of an event without a time is not compared`() throws {
    try store.take(Fixtures.event(isTimeGiven: false))
    let later = Fixtures.event(time: Fixtures.noon + .hours(1), isTimeGiven: false)
    #expect(try store.match(later).isSame)
  }

  @Test func `E1: two identities with the same hash are both stored`() throws {
    try store.take(Fixtures.event("other", recipient: "bilal"))
    // Stores another event under this event's hash, as a collision would.
    guard case .new(let slot) = try store.match(Fixtures.event()) else { throw Unexpected() }
    try store.queue.writeWithoutTransaction {
      try $0.execute(sql: "INSERT INTO event_identity VALUES (?, 1)", arguments: [slot])
    }
    guard case .new(slot &+ 1) = try store.match(Fixtures.event()) else { throw Unexpected() }
    try store.take(Fixtures.event())
    #expect(try store.match(Fixtures.event()).isSame)
    #expect(try store.match(Fixtures.event(data: "")).isOther)
    #expect(try store.match(Fixtures.event("other", recipient: "bilal")).isSame)
  }

  @Test func `the events of a recipient are a chain`() throws {
    for number in 1...6 {
      try store.take(Fixtures.event("\(number)", recipient: number % 2 == 0 ? "amina" : "bilal"))
    }
    let previous: [Int] = try ask(directory, "SELECT previous FROM event ORDER BY id")
    #expect(previous == [0, 0, 1, 2, 3, 4])
    #expect(try store.recipient("amina")?.lastEvent == 6)
    #expect(try store.recipient("bilal")?.lastEvent == 5)
  }

  @Test func `H4: only the identities of an erased recipient's events remain`() throws {
    for number in 1...3 { try store.take(Fixtures.event("\(number)", data: "secret")) }
    try store.take(Fixtures.event("4", recipient: "bilal"))
    try erase("amina")
    #expect(try store.recipient("amina") == nil)
    for number in 1...3 {
      #expect(try store.match(Fixtures.event("\(number)", data: "secret")).isSame)
    }
    let texts: [String] = try ask(
      directory, "SELECT source || identifier || type || data FROM event ORDER BY id")
    #expect(texts == ["", "", "", "test4relapse{}"])
    #expect(try ask(directory, "SELECT count(*) FROM recipient WHERE name = 'amina'") == [0])
  }

  @Test func `H4: an erased recipient may return as a new one`() throws {
    let erasedRow = try store.take(Fixtures.event("1")).row
    try erase("amina")
    let recreated = try store.take(Fixtures.event("2"))
    #expect(recreated.row != erasedRow)
    #expect(try ask(directory, "SELECT previous FROM event WHERE id = 2") == [0])
  }

  private func erase(_ name: String) throws {
    let stored = try #require(try store.recipient(name))
    try store.transaction { try $0.erase(stored, at: Fixtures.noon) }
  }
}
