import CivilTime
import Reminders
import Store

/// A recipient's recorded decisions, as far as the store still has all of them.
struct StoredRecord: Sendable {
  let record: DecisionRecord
  /// The first instant from which no record was removed by age: the distant past if none was, nil
  /// if nothing is known to be complete.
  let start: Instant?

  /// The number of notifications that are read at a time.
  private static let pageSize = 256

  /// Reads the decisions from `since` on, and some before.
  init(
    of stored: StoredRecipient, since: Instant, now: Instant, in reader: any StoreReader
  ) throws {
    let pruned = try reader.prunedThrough()
    var decisions: [DecisionRecord.Decision] = []
    var next: Int64?
    var isComplete = false
    repeat {
      let chain = try reader.chain(
        of: stored.row, from: next, downTo: pruned, limit: Self.pageSize)
      decisions += try Self.decisions(chain.numbers, in: reader)
      guard case .next(let number) = chain.end, number > pruned else { break }
      next = number
      isComplete = decisions.last.map { $0.notification.at < since } ?? false
    } while !isComplete
    let first = decisions.last?.notification.at
    start =
      pruned == 0 ? Instant(milliseconds: .min) : first.map { $0 + .milliseconds(1) }
    let isOverdue = stored.due.map { $0 <= now } ?? false
    record = DecisionRecord(
      decisions: decisions.reversed(),
      overdueSince: isOverdue ? stored.recipient.progress.cutoff : nil)
  }

  /// Reads decisions in the order of their numbers.
  private static func decisions(
    _ numbers: [Int64], in reader: any StoreReader
  ) throws -> [DecisionRecord.Decision] {
    let notifications = try reader.notifications(numbers)
    let sent = numbers.filter { notifications[$0].map { $0.past.outcome != .bundled } ?? false }
    let states = try reader.deliveryStates(of: sent)
    return numbers.compactMap { number in
      guard let past = notifications[number]?.past else { return nil }
      return DecisionRecord.Decision(
        past,
        isDelayedAtSinks: states[number, default: []].contains { isDelayed($0, after: past.at) })
    }
  }

  /// Whether a sink has not accepted a delivery at the first attempt, within a minute. A delivery
  /// without attempts was accepted at once, or waits.
  private static func isDelayed(_ state: DeliveryState, after decision: Instant) -> Bool {
    guard state.channel != .inapp,
      let first = state.attempts.first(where: \.verdict.isAttempt)
    else { return false }
    return first.verdict != .delivered || first.at - decision > Recipient.countedDelayMax
  }
}
