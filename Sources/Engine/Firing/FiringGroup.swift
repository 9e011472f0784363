import CivilTime
import Reminders
import Store

/// Recipients that are due or that a request has changed, with the results for each. Deciding a
/// group needs facts alone and no store, so any thread can do it.
struct FiringGroup: Sendable {
  let planner: Planner
  let now: Instant
  var recipients: [StoredRecipient]
  /// The reported events of each recipient; empty in a group of due recipients.
  private var intakes: [Intake] = []
  /// The due times of the recipients that were fired.
  private(set) var dueTimes: [Instant] = []
  /// The results of the fired occurrences of all recipients, in the order of the recipients.
  private(set) var fired: [FiredOccurrence] = []
  /// The records of the finished occurrences, in the order of `fired`.
  private(set) var records: [NotificationRecord] = []
  /// The new schedule of each recipient, in the order of the recipients.
  private(set) var schedules: [Schedule] = []
  /// The recipients whose planning exceeded its bound, with their reported events.
  private(set) var overruns: [Overrun] = []
  private let recorder = PlanningOverrun.Recorder()

  /// A recipient whose planning exceeded its bound.
  struct Overrun: Sendable {
    /// The recipient's index in the group.
    let index: Int
    /// The recipient's reported events; empty in a group of due recipients.
    let intake: Intake
    let overrun: PlanningOverrun
  }

  init(_ recipients: consuming [StoredRecipient], planner: Planner, now: Instant) {
    self.planner = planner
    self.now = now
    self.recipients = recipients
  }

  /// Creates a group of recipients with reported events, to be filled by `append`.
  init(reserving count: Int, planner: Planner, now: Instant) {
    self.init([], planner: planner, now: now)
    recipients.reserveCapacity(count)
    intakes.reserveCapacity(count)
  }

  mutating func append(_ recipient: consuming StoredRecipient, _ intake: consuming Intake) {
    recipients.append(recipient)
    intakes.append(intake)
  }

  /// Applies the reported events to the facts (folds them), and fires the due occurrences of each
  /// recipient (rules E6, T7). Called once.
  mutating func decide() {
    schedules.reserveCapacity(recipients.count)
    if intakes.isEmpty { fired.reserveCapacity(recipients.count) }
    PlanningOverrun.$recorder.withValue(recorder) {
      for index in recipients.indices { schedules.append(decideRecipient(index)) }
    }
    records = fired.compactMap { NotificationRecord($0, row: recipients[$0.recipientIndex].row) }
  }

  /// Plans and fires one recipient. If planning exceeds its bound, the results are discarded.
  private mutating func decideRecipient(_ index: Int) -> Schedule {
    let count = fired.count
    let schedule = plan(index)
    guard let overrun = recorder.take() else { return schedule }
    fired.removeLast(fired.count - count)
    let intake = intakes.isEmpty ? Intake() : intakes[index]
    overruns.append(Overrun(index: index, intake: intake, overrun: overrun))
    return schedule
  }

  /// Replaces the schedule of a recipient.
  mutating func set(_ schedule: Schedule, at index: Int) { schedules[index] = schedule }

  private mutating func plan(_ index: Int) -> Schedule {
    if !intakes.isEmpty { recipients[index].fold(intakes[index], now: now, planner: planner) }
    return recipients[index].fireIfDue(
      at: index, isReported: !intakes.isEmpty, now, planner, &dueTimes, &fired)
  }
}

extension StoredRecipient {
  /// Applies all events of an engine cycle's requests to the facts together (rule E6).
  mutating func fold(_ intake: Intake, now: Instant, planner: Planner) {
    guard !intake.isEmpty else { return }
    intake.apply(to: &recipient, now: now, planner: planner)
    hasUnsavedFacts = true
  }

  /// Fires the due occurrences.
  ///
  /// - Parameters:
  ///   - index: the recipient's index in its group.
  ///   - isReported: whether events were applied to the facts. If so, earlier occurrences have
  ///     been fired already. Only consequences of late events, and occurrences that a changed
  ///     preference releases, may be due.
  ///   - dueTimes: collects the instants at which the fired recipients were due.
  fileprivate mutating func fireIfDue(
    at index: Int, isReported: Bool, _ now: Instant, _ planner: Planner,
    _ dueTimes: inout [Instant], _ fired: inout [FiredOccurrence]
  ) -> Schedule {
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    guard !isReported || recipient.hasDue(at: now) else { return recipient.schedule(in: context) }
    if let due { dueTimes.append(due) }
    return fire(at: index, context, now, &fired)
  }
}
