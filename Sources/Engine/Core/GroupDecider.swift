import CivilTime
import Dispatch
import Reminders
import Store
import Synchronization
import Systemd

/// Recipients whose turn it is, or of whom a request has told something, and what comes of it:
/// decided by their facts, without a store, so that any thread can do it.
struct FiringGroup: Sendable {
  let planner: Planner
  let now: Instant
  var recipients: [StoredRecipient]
  /// What was reported of each; empty for those whose turn it is.
  private var intakes: [Intake] = []
  /// When those who were fired were due.
  private(set) var dues: [Instant] = []
  private(set) var fired: [Fired] = []
  /// Of those that are settled, in their order.
  private(set) var records: [NotificationRecord] = []
  private(set) var schedules: [Schedule] = []
  /// Those whose planning did not end, with what was reported of them.
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

  /// A group of those of whom something was reported, to be filled by `append`.
  init(reserving count: Int, planner: Planner, now: Instant) {
    self.init([], planner: planner, now: now)
    recipients.reserveCapacity(count)
    intakes.reserveCapacity(count)
  }

  mutating func append(_ recipient: consuming StoredRecipient, _ intake: consuming Intake) {
    recipients.append(recipient)
    intakes.append(intake)
  }

  /// Folds what was reported, and fires what is due for each of them (rules E6, T7); to be called
  /// once.
  mutating func decide() {
    schedules.reserveCapacity(recipients.count)
    if intakes.isEmpty { fired.reserveCapacity(recipients.count) }
    PlanningOverrun.$recorder.withValue(recorder) {
      for index in recipients.indices { schedules.append(settle(index)) }
    }
    records = fired.compactMap { NotificationRecord($0, row: recipients[$0.recipient].row) }
  }

  /// Plans and fires one recipient. Nothing that a plan without an end has given counts.
  private mutating func settle(_ index: Int) -> Schedule {
    let (count, intake) = (fired.count, intakes.isEmpty ? Intake() : intakes[index])
    let schedule = plan(index)
    guard let overrun = recorder.take() else { return schedule }
    fired.removeLast(fired.count - count)
    overruns.append(Overrun(index: index, intake: intake, overrun: overrun))
    return schedule
  }

  /// Replaces what was planned of a recipient.
  mutating func set(_ schedule: Schedule, at index: Int) { schedules[index] = schedule }

  private mutating func plan(_ index: Int) -> Schedule {
    let isReported = !intakes.isEmpty
    if isReported { recipients[index].fold(&intakes[index], now: now, planner: planner) }
    let context = PlanningContext(facts: recipients[index].recipient.facts, planner: planner)
    // What arrived late, or was let out by a changed preference, is due at once; what was planned
    // had its turn before.
    guard !isReported || recipients[index].recipient.hasDue(at: now) else {
      return recipients[index].recipient.schedule(in: context)
    }
    if let due = recipients[index].due { dues.append(due) }
    return recipients[index].fire(at: index, context, now, &fired)
  }
}

extension StoredRecipient {
  /// Folds what a request has brought, as a whole (rule E6).
  mutating func fold(_ intake: inout Intake, now: Instant, planner: Planner) {
    guard !intake.isEmpty else { return }
    intake.fold(into: &recipient, now: now, planner: planner)
    hasNews = true
  }
}

/// Decides groups on a thread of its own while the engine's thread reads and writes others, so that
/// a crowd has two processors. What comes of it is the same.
///
/// A group is handed from thread to thread and is never held by both, as to change one that is
/// shared would copy all of it.
final class GroupDecider: Sendable {
  /// How many groups are under way at once: one is decided while two wait, decided or not, so that
  /// neither thread waits for the other where some groups take longer.
  static let depth = 3

  private struct State {
    var asked: [FiringGroup] = []
    var decided: [FiringGroup] = []
    /// Written by now.
    var spent: [FiringGroup] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let orders = DispatchSemaphore(value: 0)
  private let results = DispatchSemaphore(value: 0)

  init() throws(SystemCallError) {
    try OperatingSystemThread(name: "deciding") { [self] in run() }.detach()
  }

  /// Has a group decided, after those that were begun before.
  func begin(_ group: consuming FiringGroup) {
    var group = Optional(consume group)
    state.withLock { state in
      if let group = group.take() { state.asked.append(group) }
    }
    orders.signal()
  }

  /// Waits for the first that was begun and not taken.
  func take() -> FiringGroup? {
    results.wait()
    return state.withLock { $0.decided.isEmpty ? nil : $0.decided.removeFirst() }
  }

  /// Ends a group that nobody needs any more, on its thread: to let go of all that it holds takes
  /// time, of which the engine's thread has less.
  func letGo(of group: consuming FiringGroup) {
    var group = Optional(consume group)
    state.withLock { state in
      if let group = group.take() { state.spent.append(group) }
    }
    orders.signal()
  }

  /// Ends the thread; nothing may be under way.
  func close() {
    state.withLock { $0.isClosed = true }
    orders.signal()
  }

  private func run() {
    while true {
      orders.wait()
      var group = state.withLock { $0.asked.isEmpty ? nil : $0.asked.removeFirst() }
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
