import CivilTime
import Dispatch
import Reminders
import Store
import Synchronization
import Systemd

/// Recipients that are due or that a request has changed, with the results for each. It is decided
/// from facts alone, without a store, so that any thread can do it.
struct FiringGroup: Sendable {
  let planner: Planner
  let now: Instant
  var recipients: [StoredRecipient]
  /// The reported events of each; empty in a group of due recipients.
  private var intakes: [Intake] = []
  /// The due times of the recipients that were fired.
  private(set) var dues: [Instant] = []
  private(set) var fired: [Fired] = []
  /// The records of the settled occurrences, in the order of `fired`.
  private(set) var records: [NotificationRecord] = []
  private(set) var schedules: [Schedule] = []
  /// Recipients whose planning did not end, with their reported events.
  private(set) var overruns: [Overrun] = []
  private let recorder = PlanningOverrun.Recorder()

  struct Overrun: Sendable {
    let index: Int
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

  /// Folds the reported events and fires the due occurrences of each recipient (rules E6, T7).
  /// Called once.
  mutating func decide() {
    schedules.reserveCapacity(recipients.count)
    if intakes.isEmpty { fired.reserveCapacity(recipients.count) }
    PlanningOverrun.$recorder.withValue(recorder) {
      for index in recipients.indices { schedules.append(settle(index)) }
    }
    records = fired.compactMap { NotificationRecord($0, row: recipients[$0.recipient].row) }
  }

  /// Plans and fires one recipient. The results of a plan that did not end are discarded.
  private mutating func settle(_ index: Int) -> Schedule {
    let (count, intake) = (fired.count, intakes.isEmpty ? Intake() : intakes[index])
    let schedule = plan(index)
    guard let overrun = recorder.take() else { return schedule }
    fired.removeLast(fired.count - count)
    overruns.append(Overrun(index: index, intake: intake, overrun: overrun))
    return schedule
  }

  /// Replaces the schedule of a recipient.
  mutating func set(_ schedule: Schedule, at index: Int) { schedules[index] = schedule }

  private mutating func plan(_ index: Int) -> Schedule {
    let isReported = !intakes.isEmpty
    if isReported { recipients[index].fold(&intakes[index], now: now, planner: planner) }
    let context = PlanningContext(facts: recipients[index].recipient.facts, planner: planner)
    // Late events, and occurrences released by a changed preference, are due at once; everything
    // planned earlier was fired before.
    guard !isReported || recipients[index].recipient.hasDue(at: now) else {
      return recipients[index].recipient.schedule(in: context)
    }
    if let due = recipients[index].due { dues.append(due) }
    return recipients[index].fire(at: index, context, now, &fired)
  }
}

extension StoredRecipient {
  /// Folds all events of a cycle's requests together (rule E6).
  mutating func fold(_ intake: inout Intake, now: Instant, planner: Planner) {
    guard !intake.isEmpty else { return }
    intake.fold(into: &recipient, now: now, planner: planner)
    hasNews = true
  }
}

/// Decides groups on a separate thread while the engine's thread reads and writes others, so that a
/// burst has two processors. The results are the same.
///
/// Each group belongs to one thread at a time: changing a shared one would copy all of it.
final class GroupDecider: Sendable {
  /// How many groups are in progress at once. One is decided while two wait, decided or not, so
  /// that neither thread waits for the other if some groups take longer.
  static let depth = 3

  private struct State {
    var queued: [FiringGroup] = []
    var decided: [FiringGroup] = []
    /// Groups already written, to be freed on this thread.
    var spent: [FiringGroup] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let orders = DispatchSemaphore(value: 0)
  private let results = DispatchSemaphore(value: 0)

  init() throws(SystemCallError) {
    try OperatingSystemThread(name: "deciding") { [self] in run() }.detach()
  }

  /// Queues a group to be decided.
  func begin(_ group: consuming FiringGroup) {
    var group = Optional(consume group)
    state.withLock { state in
      if let group = group.take() { state.queued.append(group) }
    }
    orders.signal()
  }

  /// Waits for the oldest group that was begun and not taken.
  func take() -> FiringGroup? {
    results.wait()
    return state.withLock { $0.decided.isEmpty ? nil : $0.decided.removeFirst() }
  }

  /// Frees a group on the decider's thread: that takes time, and the engine's thread has less of
  /// it.
  func free(_ group: consuming FiringGroup) {
    var group = Optional(consume group)
    state.withLock { state in
      if let group = group.take() { state.spent.append(group) }
    }
    orders.signal()
  }

  /// Ends the thread. No group may be in progress.
  func close() {
    state.withLock { $0.isClosed = true }
    orders.signal()
  }

  private func run() {
    while true {
      orders.wait()
      var group = state.withLock { $0.queued.isEmpty ? nil : $0.queued.removeFirst() }
      if group == nil, state.withLock({ $0.isClosed }) { return }
      decide(&group)
      var spent: [FiringGroup] = []
      state.withLock { swap(&spent, &$0.spent) }
    }
  }

  private func decide(_ group: inout FiringGroup?) {
    guard group != nil else { return }
    group?.decide()
    state.withLock { state in
      if let group = group.take() { state.decided.append(group) }
    }
    results.signal()
  }
}
