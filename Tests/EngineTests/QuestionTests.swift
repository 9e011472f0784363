import CivilTime
import Dispatch
import JSON
import Outbox
import Reminders
import Store
import Synchronization
import Systemd
import Testing

@testable import Engine

/// Rule H6: queries and the engine do not wait for each other.
@Suite struct QuestionTests {
  /// A reader that holds a snapshot until `end` is called.
  private final class HeldReader: Sendable {
    private let isReading = DispatchSemaphore(value: 0)
    private let release = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let counts = Mutex<[Int]>([])

    /// Begins to read on a separate thread, and returns while that thread holds the snapshot.
    init(_ readers: any StoreSnapshots) throws {
      let countRows: @Sendable (any StoreReader) throws -> Int = {
        try $0.analytics(of: nil, after: 0, limit: 1_000).count
      }
      try OperatingSystemThread(name: "held") { [self] in
        try? readers.read { transaction in
          let firstCount = try countRows(transaction)
          isReading.signal()
          release.wait()
          let secondCount = try countRows(transaction)
          counts.withLock { $0 = [firstCount, secondCount] }
        }
        hasEnded.signal()
      }.detach()
      isReading.wait()
    }

    /// Lets the reader read once more and end. Returns how many rows it read at its beginning and
    /// at its end.
    func end() -> [Int] {
      release.signal()
      hasEnded.wait()
      return counts.withLock { $0 }
    }
  }

  private func setQuietHours(_ stage: Stage) throws {
    try stage.take("preferences.updated", ["quietHours": ["enabled": true]])
  }

  @Test func `H6: an open query delays neither events nor firing nor status`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try setQuietHours(stage)
    let reader = try HeldReader(stage.core().store.readers)
    #expect(try stage.take("preferences.updated", ["master": false]).word == "accepted")
    #expect(try stage.take("relapse", of: "bilal").word == "accepted")
    try stage.run(to: "2026-03-02 21:00")
    #expect(stage.delivered.map(\.recipient) == ["bilal"])
    #expect(try stage.status().recipients == 2)
    #expect(try stage.agenda(of: "bilal")?.entries.isEmpty == false)
    #expect(reader.end() == [1, 1], "a snapshot does not change")
    #expect(
      try stage.query(AnalyticsQuery(recipient: nil, after: 0, limit: 9))?.records.count == 2)
  }

  @Test func `H6: open queries delay neither an erasure nor its receipt`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try setQuietHours(stage)
    try stage.take("relapse", of: "bilal")
    let readers = try (0..<3).map { _ in try HeldReader(stage.core().store.readers) }
    #expect(try stage.take("recipient.deleted").word == "accepted")
    #expect(try stage.agenda() == nil)
    #expect(try stage.status().erasureOpen != nil, "a reader still needs the log")
    for reader in readers { #expect(reader.end() == [1, 1]) }
    try stage.run(to: "2026-03-02 09:03")
    #expect(try stage.status().erasureOpen == nil)
  }

  @Test func `H6: queries after a receipt see the effect of the event`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    let recipientCounts = Mutex<[Int]>([])
    for number in 1...20 {
      let questions = try stage.core().questions
      let event = try Fixtures.event(
        "e\(number)", "relapse", of: "r\(number)", at: stage.now, planner: stage.planner)
      try stage.turn([
        .submit([event]) { _ in
          guard let status = try? questions.status(now: event.time),
            let agenda = try? questions.answer(AgendaQuery(of: "r\(number)"), now: event.time)
          else { return }
          recipientCounts.withLock { $0.append(agenda.entries.isEmpty ? 0 : status.recipients) }
        }
      ])
    }
    #expect(recipientCounts.withLock { $0 } == Array(1...20))
  }

  // MARK: - Threads

  @Test func `H6: a query beyond the queue's limit is refused`() throws {
    let threads = try QuestionThreads(.questions, count: 1)
    let waitingMax = QuestionThreads.Duty.questions.waitingMax
    let (release, begun, done) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let refused = Mutex<[String]>([])
    let refuse: @Sendable (ServiceUnavailable) -> Void = { unavailable in
      refused.withLock { $0.append("\(unavailable.kind)") }
    }
    threads.add(
      .init(
        run: {
          begun.signal()
          release.wait()
          done.signal()
        }, refuse: refuse))
    begun.wait()
    for _ in 0...waitingMax { threads.add(.init(run: {}, refuse: refuse)) }
    #expect(refused.withLock { $0 } == ["overloaded"])
    threads.close()
    #expect(refused.withLock(\.count) == waitingMax + 1)
    #expect(refused.withLock { $0.last } == "stopping")
    release.signal()
    done.wait()
    threads.add(.init(run: {}, refuse: refuse))
    #expect(refused.withLock(\.count) == waitingMax + 2)
  }

  // MARK: - The next due time

  @Test func `H6: the count of a burst is updated at most once a second`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    let events = try (0..<600).map { number in
      try Fixtures.event(
        "e\(number)", "checkin.completed", of: "r\(number)", at: stage.now, planner: stage.planner)
    }
    _ = try stage.submit(Array(events.prefix(500)))
    #expect(try stage.core().schedule.next.values.first?.count == 500)
    _ = try stage.submit(Array(events.dropFirst(500)))
    #expect(try stage.core().schedule.next.values.first?.count == 500)
    let wake = try #require(try stage.core().schedule.next.wake)
    #expect(wake <= stage.now + .seconds(1))
    try stage.core().publish(now: wake)
    #expect(try stage.core().schedule.next.values.first?.count == 600)
    #expect(try stage.core().schedule.next.wake == nil)
  }
}
