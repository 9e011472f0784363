import CivilTime
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Looking up all events of a cycle at once gives the same results as looking up each one.
@Suite struct LookAheadTests {
  /// Requests of events as (identifier, type, recipient).
  private typealias Script = [[(String, String, String)]]

  /// Events of one cycle: duplicates within and between requests, known and new recipients, erased
  /// recipients, and recipients that return after an erasure.
  private static let script: Script = [
    [("1", "relapse", "known"), ("2", "relapse", "new"), ("1", "relapse", "known")],
    [("2", "relapse", "other"), ("3", "recipient.deleted", "known"), ("4", "relapse", "known")],
    [("0", "relapse", "known"), ("5", "streak.started", "a"), ("6", "relapse", "new")],
    // An erasure writes the events ingested so far. The recipient of this erasure is not stored
    // yet.
    [("7", "recipient.deleted", "nobody"), ("4", "relapse", "known"), ("8", "relapse", "b")],
    [("2", "relapse", "new"), ("2", "relapse", "other"), ("6", "streak.started", "new")],
  ]

  private func stage() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["b", "a", "known"] { try stage.take("relapse", of: name, id: "0\(name)") }
    return stage
  }

  private func requests(
    _ script: Script, _ stage: Stage
  ) throws -> [(Request, AnswerBox<[Receipt]>)] {
    try script.map { events in
      let answer = AnswerBox<[Receipt]>()
      let events = try events.map { identifier, type, recipient in
        try Fixtures.event(
          identifier, type, of: recipient, at: stage.now, planner: stage.planner)
      }
      return (.submit(events, answer.take), answer)
    }
  }

  private func state(_ stage: Stage) throws -> [String] {
    try ["known", "new", "other", "a", "b", "nobody"].map { name in
      let agenda = try stage.agenda(of: name)
      return "\(name): \(agenda.map { "\($0)" } ?? "nobody")"
    } + ["\(try stage.status().recipients), \(try stage.status().pending)"]
  }

  @Test func `requests of one cycle have the same effect as one cycle per event`() throws {
    let (oneCycle, cyclePerEvent) = (try stage(), try stage())
    let joint = try requests(Self.script, oneCycle)
    try oneCycle.turn(joint.map(\.0))
    let single = try requests(Self.script.flatMap { $0.map { [$0] } }, cyclePerEvent)
    for (request, _) in single { try cyclePerEvent.turn([request]) }
    #expect(
      try joint.flatMap { try $0.1.value().map(\.word) }
        == single.flatMap { try $0.1.value().map(\.word) })
    #expect(try state(oneCycle) == state(cyclePerEvent))
  }

  @Test func `requests of other kinds between submissions do not affect the submissions`() throws {
    let stage = try stage()
    let first = try requests([[("1", "relapse", "new"), ("2", "relapse", "a")]], stage)[0]
    let second = try requests([[("3", "relapse", "b"), ("1", "relapse", "new")]], stage)[0]
    let write = AnswerBox<WriteReceipt>()
    let event = try Fixtures.event(
      "w", "streak.started", of: "a", at: stage.now, planner: stage.planner)
    let read = AnswerBox<InboxReceipt?>()
    try stage.turn([
      first.0, .write(Write(events: [event]), write.take),
      .inboxWrite("known", .readAll, read.take), second.0,
    ])
    #expect(try first.1.value().map(\.word) == ["accepted", "accepted"])
    #expect(try second.1.value().map(\.word) == ["accepted", "duplicate"])
    guard case .done = try write.value() else { throw NotDone() }
    #expect(try read.value() != nil)
    for name in ["a", "b", "known", "new"] { #expect(try stage.agenda(of: name) != nil) }
    #expect(try stage.submit([event]).map(\.word) == ["duplicate"])
  }

  private struct NotDone: Error {}

  @Test func `recipients inserted in any order are saved in the order of their rows`() throws {
    var cache = RecipientCache()
    for (name, row) in [("c", 3), ("a", 1), ("b", 2)] as [(String, UInt32)] {
      let (slot, isNew) = cache.slot(of: name)
      #expect(isNew && cache[slot] == nil)
      cache.insert(Self.storedRecipient(name, row: row), at: slot).isTouched = name != "b"
    }
    #expect(cache.isTouched("a") && !cache.isTouched("b") && !cache.isTouched("z"))
    #expect(try Self.touchedRows(in: &cache) == [1, 3])
    #expect(cache.isEmpty)
  }

  @Test func `a name keeps its slot when its recipient is erased`() throws {
    var cache = RecipientCache()
    cache.insert(Self.storedRecipient("a", row: 1))
    let slot = cache.slot(of: "a").slot
    cache[slot]?.isTouched = true
    cache.remove("a", erased: Instant(milliseconds: 5))
    #expect(cache.erasure(at: slot) == Instant(milliseconds: 5))
    #expect(cache[slot] == nil && !cache.isTouched("a"))
    #expect(cache.slot(of: "a") == (slot, false))
    cache.insert(Self.storedRecipient("a", row: 9), at: slot).isTouched = true
    #expect(try Self.touchedRows(in: &cache) == [9])
  }

  /// Returns the rows of the recipients that must be written.
  private static func touchedRows(in cache: inout RecipientCache) throws -> [UInt32] {
    let planner = try Fixtures.planner()
    var touched = cache.takeTouched()
    var rows: [UInt32] = []
    while let group = touched.next(1, planner: planner, now: Instant(milliseconds: 0)) {
      rows += group.recipients.map(\.row)
    }
    return rows
  }

  private static func storedRecipient(_ name: String, row: UInt32) -> StoredRecipient {
    StoredRecipient(
      row: row, recipient: Recipient(name: name, now: Instant(milliseconds: 0)), lastEvent: 0,
      pending: 0, due: nil)
  }
}
