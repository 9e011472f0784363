import Access
import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// A small store with rows in every table that has checksums.
struct FilledStore {
  func fill(_ directory: TemporaryDirectory) throws {
    let store = try SQLiteStore(directory: directory.path)
    for number in 1...8 {
      let name = number % 2 == 0 ? "bilal" : "amina"
      try store.take(
        Fixtures.event("event \(number)", recipient: name, data: "{\"day\":\(number)}"))
    }
    for number in 1...6 as ClosedRange<Int64> {
      var record = Fixtures.record(
        row: UInt32(number % 2 + 1), key: number, title: "Title \(number)", body: "Body \(number)",
        isCommon: number < 4)
      record.channelGroup = number == 6 ? .interrupting : .inapp
      try store.record(record)
    }
    try store.transaction { transaction in
      var stored = try #require(try transaction.recipient(named: "bilal"))
      stored.request(1...60)
      try transaction.dismiss(3, of: &stored, now: Fixtures.noon)
      var token = TokenRecord(
        identifier: "key", name: "phone", scope: .recipient("bilal"), digest: Array(0..<32),
        created: Fixtures.noon)
      (token.expiry, token.revoked) = (Fixtures.noon + .days(1), Fixtures.noon)
      try transaction.save(token)
      try transaction.save([stored], [Schedule(due: Fixtures.noon, pending: 1)])
      try transaction.save(try Self.base(), of: stored)
      try transaction.recordAdoption(of: try Fixtures.planner.get(), at: Fixtures.noon)
    }
    try fillLane(of: store)
    try store.shutDown()
  }

  /// Returns the base of a recipient with one removed event.
  private static func base() throws -> FactBase {
    let planner = try Fixtures.planner.get()
    let event = StoredEvent(
      order: 1, received: Fixtures.noon, source: "test", identifier: "removed", type: "relapse",
      time: Fixtures.noon, isTimeGiven: true, data: [])
    var base = FactBase()
    base.fold([event], of: "bilal") { _ in planner }
    return base
  }

  /// Writes the lane of a sink with two failed deliveries: one retry and one dead letter.
  private func fillLane(of store: SQLiteStore) throws {
    let deliveries = try store.deliveries(after: 3).deliveries
    try store.transaction { transaction in
      try transaction.save(StoredLane(cursor: 5, channels: .all, lastDispatched: 6), of: "mail")
      for delivery in deliveries.prefix(2) {
        let isDead = delivery.notification == 5
        try transaction.save { changes in
          changes.laterAttempts.append(
            Attempt(
              of: delivery, by: "mail", at: Fixtures.noon, .rejected, reason: "no", status: "410",
              duration: isDead ? nil : .seconds(1)))
          changes.wait(
            Retry(sink: "mail", delivery: delivery, attempts: 2),
            due: isDead ? nil : Fixtures.noon + .hours(1), reason: "later")
        }
      }
    }
  }
}
