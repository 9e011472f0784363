import CivilTime
import Reminders
import Store

/// The result of one occurrence, with its message and the index of its recipient in the group.
struct FiredOccurrence: Sendable {
  let recipientIndex: Int
  let firing: Firing
  let message: Message
  /// The usage counts of the firing.
  let use: FiringUse
  /// The offset of the recipient's local time when the occurrence was fired.
  let offset: ClockOffset
  /// The events that the occurrence sends to other recipients.
  let relayedEvents: [Event]

  init(
    _ firing: Firing, _ message: Message, at index: Int, _ context: PlanningContext,
    relayedEvents: [Event]
  ) {
    (recipientIndex, self.firing, self.message) = (index, firing, message)
    offset = ClockOffset(context.zone, at: firing.at)
    use = FiringUse(firing, category: message.category, zone: context.zone, offset)
    self.relayedEvents = relayedEvents
  }
}

/// Fires recipients' due occurrences within an engine cycle: decides them in groups, records the
/// results and writes the recipients.
final class RecipientFiring {
  /// The maximum number of recipients that are read, decided and written together. It is large
  /// enough for sequential reads and writes of rows, and small enough for the processor's cache.
  static let groupMax = 256

  /// The store's own name, with which the ids of notifications begin.
  let instance: String
  let outbox: EngineOutbox
  let actions: any EngineActions
  /// The thread that decides groups of recipients while the engine's own thread writes; nil if
  /// there is none.
  var decider: GroupDecider?
  /// The recipients whose planning exceeded its bound, by row (see `PlanningOverrun`).
  var setAside: [UInt32: SetAsideRecipient] = [:]

  init(instance: String, outbox: EngineOutbox, actions: any EngineActions) {
    self.instance = instance
    self.outbox = outbox
    self.actions = actions
  }

  /// Fires the due recipients, except those that this cycle has changed. Changed recipients were
  /// fired before the change, or are fired when they are saved.
  ///
  /// In a burst of due recipients, groups are decided on a separate thread while this one reads and
  /// writes others.
  func fireDue(_ turn: inout Turn) throws {
    var remainingRows = turn.work.dueRows
    turn.effects.reserve(remainingRows.count)
    let isBurst = remainingRows.count > Self.groupMax
    let nextGroup = { (turn: borrowing Turn) in
      remainingRows.isEmpty ? nil : try Self.readGroup(&remainingRows, turn)
    }
    if let decider, isBurst { return try writeGroups(by: decider, &turn, nextGroup) }
    try writeGroups(&turn, nextGroup)
  }

  /// Applies the events of this cycle's requests to the changed recipients, and fires and writes
  /// these recipients. Many groups are decided on a separate thread. For a few groups, the change
  /// of threads would take as long as it saves.
  func saveTouched(_ turn: inout Turn) throws {
    var remaining = turn.recipients.takeTouched()
    turn.effects.reserve(remaining.count)
    let isBurst = remaining.count > 2 * Self.groupMax
    let nextGroup = { (turn: borrowing Turn) in
      remaining.next(Self.groupMax, planner: turn.planner, now: turn.now)
    }
    if let decider, isBurst { return try writeGroups(by: decider, &turn, nextGroup) }
    try writeGroups(&turn, nextGroup)
  }

  /// Decides groups on this thread and writes the results of each.
  ///
  /// - Parameter nextGroup: returns the next group; nil at the end.
  private func writeGroups(
    _ turn: inout Turn, _ nextGroup: (borrowing Turn) throws -> FiringGroup?
  ) throws {
    while var group = try nextGroup(turn) {
      group.decide()
      try write(&group, &turn)
    }
  }

  private func writeGroups(
    by decider: GroupDecider, _ turn: inout Turn,
    _ nextGroup: (borrowing Turn) throws -> FiringGroup?
  ) throws {
    var groupsInDecider = 0
    // Take back every group before the cycle ends, even after an error of the store.
    defer { for _ in 0..<groupsInDecider { _ = decider.take() } }
    repeat {
      while groupsInDecider < GroupDecider.depth, let group = try nextGroup(turn) {
        decider.begin(group)
        groupsInDecider += 1
      }
      guard groupsInDecider > 0, var decidedGroup = decider.take() else { return }
      groupsInDecider -= 1
      try write(&decidedGroup, &turn)
      if groupsInDecider > 0 { decider.free(consume decidedGroup) }
    } while true
  }

  /// Reads the next group of due recipients, and has the store prefetch the group after it.
  private static func readGroup(
    _ remainingRows: inout ArraySlice<UInt32>, _ turn: borrowing Turn
  ) throws -> FiringGroup {
    var group = try turn.transaction.recipients(rows: remainingRows.prefix(Self.groupMax))
    remainingRows = remainingRows.dropFirst(Self.groupMax)
    try turn.transaction.expect(rows: remainingRows.prefix(Self.groupMax))
    if !turn.recipients.isEmpty {
      group.removeAll { turn.recipients.isTouched($0.recipient.name) }
    }
    return FiringGroup(group, planner: turn.planner, now: turn.now)
  }

  private func write(_ group: inout FiringGroup, _ turn: inout Turn) throws {
    for overrun in group.overruns { try setAside(overrun, of: &group, &turn) }
    for due in group.dueTimes { turn.countLateness(since: due) }
    try record(group.fired, group.records, of: &group.recipients, &turn)
    try write(group.recipients, group.schedules, &turn)
  }

  /// Fires a recipient's due occurrences before something else changes the recipient.
  func fireDue(_ stored: inout StoredRecipient, _ turn: inout Turn) throws {
    let isDue = stored.due.map { $0 <= turn.now } ?? false
    guard isDue || stored.recipient.hasDue(at: turn.now) else { return }
    try fire(&stored, &turn)
    stored.due = nil
  }

  /// Fires a recipient's due occurrences and records the results. If planning exceeds its bound,
  /// sets the recipient aside instead.
  ///
  /// - Parameter known: the planning context of the recipient's facts; nil creates it.
  @discardableResult
  func fire(
    _ stored: inout StoredRecipient, knowing known: PlanningContext? = nil, _ turn: inout Turn
  ) throws -> Schedule {
    let context = known ?? PlanningContext(facts: stored.recipient.facts, planner: turn.planner)
    var fired: [FiredOccurrence] = []
    turn.countLateness(since: stored.due)
    let recorder = PlanningOverrun.Recorder()
    let schedule = PlanningOverrun.$recorder.withValue(recorder) {
      stored.fire(at: 0, context, turn.now, &fired)
    }
    if let overrun = recorder.take() {
      return try setAside(&stored, reporting: Intake(), overrun, &turn)
    }
    guard !fired.isEmpty else { return schedule }
    var batch = [stored]
    let records = fired.compactMap { NotificationRecord($0, row: stored.row) }
    try record(fired, records, of: &batch, &turn)
    stored = batch[0]
    return schedule
  }

  /// Writes recipients and their schedules. The recipients are in ascending order of their rows.
  func write(_ batch: [StoredRecipient], _ schedules: [Schedule], _ turn: inout Turn) throws {
    try turn.transaction.save(batch, schedules)
    for index in batch.indices {
      let row = batch[index].row
      turn.effects.setAside.addPlanned(row, wasSetAside: setAside[row] != nil)
      turn.effects.schedules.append((row, schedules[index], batch[index].pending))
    }
  }
}

extension StoredRecipient {
  /// Fires due occurrences, and removes finished requests from the recipient's facts.
  ///
  /// - Parameter index: the recipient's index in its group.
  mutating func fire(
    at index: Int, _ context: PlanningContext, _ now: Instant, _ fired: inout [FiredOccurrence]
  ) -> Schedule {
    let (firings, schedule) = recipient.fire(now: now, in: context)
    for firing in firings { add(firing, at: index, context, &fired) }
    if recipient.facts.requests.count != context.facts.requests.count { hasUnsavedFacts = true }
    return schedule
  }

  /// Adds the result of an occurrence, with its message from the context that planned it.
  func add(
    _ firing: Firing, at index: Int, _ context: PlanningContext, _ fired: inout [FiredOccurrence]
  ) {
    guard let message = context.message(of: firing) else { return }
    fired.append(
      FiredOccurrence(
        firing, message, at: index, context,
        relayedEvents: context.relayedEvents(of: firing, from: recipient.name)))
  }
}
