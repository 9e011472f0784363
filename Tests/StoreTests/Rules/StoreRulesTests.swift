import CivilTime
import MemoryStore
import Store
import Testing

@testable import Reminders

/// The rules that all stores share.
@Suite struct StoreRulesTests {
  @Test func `T6: only a drop is replaced`() {
    let outcomes = [Outcome.delivered, .dropped, .bundled]
    for outcome in outcomes {
      #expect(outcome.replaces(.dropped))
      #expect(!outcome.replaces(.delivered))
      #expect(!outcome.replaces(.bundled))
    }
  }

  @Test func `N1: counts follow each change of the inbox`() {
    var counts = NotificationCounts()
    for number in Int64(1)...3 {
      counts.record(number, isRecent: number != 2)
      counts.addItem()
    }
    counts.readItem()
    #expect((counts.head, counts.recent, counts.items, counts.unread) == (3, 2, 3, 2))
    counts.removeItem(isRead: true)
    counts.removeItem(isRead: false)
    counts.removeRecent()
    #expect((counts.recent, counts.items, counts.unread) == (1, 1, 1))
    #expect(counts.clear() == 1)
    #expect((counts.cleared, counts.recent, counts.items, counts.unread) == (3, 0, 0, 0))
    counts.removeRecent()
    counts.removeItem(isRead: false)
    #expect((counts.recent, counts.items, counts.unread) == (0, 0, 0))
  }

  @Test func `T4: only zones that events have named are read`() throws {
    let store = MemoryStore()
    try store.commit { transaction in
      for zone in ["Europe/Berlin", "Asia/Kolkata"] {
        let event = Event(
          identifier: zone, source: "test", type: "profile.updated", recipient: "amina",
          time: Fixtures.noon, isTimeGiven: true,
          content: .profile([ProfileChange(field: .timezone, value: zone)]), data: [])
        try transaction.recordZone(of: event)
      }
      let names = ["Africa/Cairo", "Asia/Kolkata", "Europe/Berlin"]
      var read: [String] = []
      let areSound = try transaction.areReportedZones(among: names) { name in
        read.append(name)
        return true
      }
      #expect(areSound)
      #expect(read == ["Asia/Kolkata", "Europe/Berlin"])
      #expect(try !transaction.areReportedZones(among: names) { $0 != "Asia/Kolkata" })
      #expect(try !transaction.areReportedZones(among: ["Europe/Berlin"]) { _ in true })
    }
  }

  // MARK: - Links

  private func stored(_ row: UInt32, head: Int64) -> StoredRecipient {
    var counts = NotificationCounts()
    counts.head = head
    return StoredRecipient(
      row: row, recipient: Recipient(name: "\(row)", now: Fixtures.noon), lastEvent: 0, pending: 0,
      due: nil, counts: counts)
  }

  /// - Parameter firstNumber: the first notification of the occurrence, if it was recorded earlier.
  private func links(
    _ records: [NotificationRecord], _ numbers: [Int64?], firstNumber: Int64? = nil
  ) -> [String] {
    let batch = [stored(1, head: 7), stored(2, head: 0)]
    let recipientIndices = NotificationLink.recipientIndices(of: records, in: batch)
    return NotificationLink.links(of: records, numbers, recipientIndices, batch) {
      _, _, _, _ in firstNumber
    }
    .map { "\($0.previous) \($0.leader)" }
  }

  @Test func `each recipient's chain continues from its head`() {
    let records = [
      Fixtures.record(key: 1), Fixtures.record(key: 2), Fixtures.record(row: 2, key: 1),
      Fixtures.record(row: 2, key: 2),
    ]
    #expect(links(records, [10, 11, 12, 13]) == ["7 0", "10 0", "0 0", "12 0"])
    #expect(links(records, [nil, 11, 12, nil]) == ["0 0", "7 0", "0 0", "0 0"])
  }

  @Test func `an occurrence's other notifications refer to its first one`() {
    let first = Fixtures.record(key: 1)
    let other = first.on(.inapp, channels: ChannelSet(.inapp))
    #expect(links([first, other], [10, 11]) == ["7 0", "10 10"])
    #expect(links([first, other], [nil, 11], firstNumber: 4) == ["0 0", "7 4"])
    #expect(
      links([first, other.on(.inapp, channels: [], paired: false)], [10, 11], firstNumber: 4)
        == ["7 0", "10 0"])
    var dropped = other
    dropped.outcome = .dropped
    #expect(links([first, dropped], [10, 11], firstNumber: 4) == ["7 0", "10 0"])
  }

  // MARK: - Delivery states

  private func stateLines(_ trail: DeliveryTrail) -> [String] {
    let lanes = ["mail": StoredLane(cursor: 5, channels: ChannelSet(.email), lastDispatched: 5)]
    return trail.states(lanes).map { "\($0.channel) \($0.sink) \($0.progress)" }
  }

  private func trail(_ number: Int64) -> DeliveryTrail {
    DeliveryTrail(
      notification: number, channels: [ChannelSet(.push), ChannelSet(.email)], retries: [],
      attempts: [])
  }

  private func attempt(_ verdict: Attempt.Verdict, _ reason: String = "") -> Attempt {
    Attempt(
      notification: 5, channel: .push, sink: "one", at: Fixtures.noon, verdict: verdict,
      status: nil, excerpt: "", duration: nil, reason: reason)
  }

  @Test func `D6: without an attempt the lane's cursors decide the state`() {
    #expect(stateLines(trail(5)) == ["email mail delivered"])
    #expect(stateLines(trail(6)) == ["email mail waiting"])
  }

  @Test func `D6: the last attempt decides the state`() {
    var trail = trail(5)
    trail.attempts = [attempt(.retry, "busy"), attempt(.delivered)]
    #expect(stateLines(trail).first == "push one delivered")
    trail.attempts.append(attempt(.rejected, "gone"))
    #expect(stateLines(trail).first == #"push one failed(reason: "gone")"#)
    trail.attempts.append(attempt(.dropped, "expiry"))
    #expect(stateLines(trail).first == #"push one dropped(reason: "expiry")"#)
    #expect(trail.states([:]).first?.attempts == trail.attempts)
  }

  @Test func `D6: a waiting retry or dead letter takes precedence over attempts`() {
    var trail = trail(5)
    trail.attempts = [attempt(.rejected, "gone")]
    trail.retries = [
      RecordedNotification.Retry(sink: "two", channel: .push, attempts: 3, due: nil, reason: "gone")
    ]
    #expect(stateLines(trail).first == #"push two dead(attempts: 3, reason: "gone")"#)
  }
}
