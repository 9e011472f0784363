import CivilTime
import Reminders
import Store

/// What came of an occurrence, for which of several recipients, and what it says.
struct Fired {
  let recipient: Int
  let firing: Firing
  let caption: Message
  let use: FiringUse
  let offset: ClockOffset
}

extension EngineCore {
  /// How many recipients are read, decided and written together: enough that reading and writing
  /// go from row to row, few enough that all of it stays in the processor's cache.
  static let group = 256

  /// Fires the recipients whose turn it is, but for those of whom this turn has something to write:
  /// these are fired when an event reaches them or when they are saved.
  func fireDue(_ turn: inout Turn, in transaction: any StoreWriter) throws {
    var rest = turn.dueRows
    while !rest.isEmpty {
      var batch = try transaction.recipients(rows: rest.prefix(Self.group))
      rest = rest.dropFirst(Self.group)
      if !turn.recipients.isEmpty {
        batch.removeAll { turn.recipients.isTouched($0.recipient.name) }
      }
      try fire(&batch, &turn, in: transaction)
    }
  }

  private func fire(
    _ batch: inout [StoredRecipient], _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    var fired: [Fired] = []
    var schedules: [Schedule] = []
    fired.reserveCapacity(batch.count)
    schedules.reserveCapacity(batch.count)
    for index in batch.indices {
      turn.countLateness(since: batch[index].due)
      let context = PlanningContext(facts: batch[index].recipient.facts, planner: turn.planner)
      schedules.append(fire(&batch[index], at: index, context, turn.now, &fired))
    }
    try record(fired, of: &batch, &turn, in: transaction)
    try keep(batch, schedules, &turn, in: transaction)
  }

  /// Fires what is due for a recipient and records what came of it.
  ///
  /// - Parameter known: the context of the recipient's facts, if it is at hand.
  @discardableResult
  func fire(
    _ stored: inout StoredRecipient, knowing known: PlanningContext? = nil, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Schedule {
    let context = known ?? PlanningContext(facts: stored.recipient.facts, planner: turn.planner)
    var fired: [Fired] = []
    turn.countLateness(since: stored.due)
    let schedule = fire(&stored, at: 0, context, turn.now, &fired)
    guard !fired.isEmpty else { return schedule }
    var batch = [stored]
    try record(fired, of: &batch, &turn, in: transaction)
    stored = batch[0]
    return schedule
  }

  /// What is settled of the requests leaves the recipient's facts.
  private func fire(
    _ stored: inout StoredRecipient, at index: Int, _ context: PlanningContext, _ now: Instant,
    _ fired: inout [Fired]
  ) -> Schedule {
    let (firings, schedule) = stored.recipient.fire(now: now, in: context)
    for firing in firings {
      guard let caption = context.caption(of: firing) else { continue }
      let offset = ClockOffset(context.zone, at: firing.at)
      let use = FiringUse(firing, category: caption.category, zone: context.zone, offset)
      fired.append(
        Fired(recipient: index, firing: firing, caption: caption, use: use, offset: offset))
    }
    if stored.recipient.facts.requests.count != context.facts.requests.count {
      stored.hasNews = true
    }
    return schedule
  }

  /// Writes what has become of recipients, whose rows ascend.
  func keep(
    _ batch: [StoredRecipient], _ schedules: [Schedule], _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    try transaction.save(batch, schedules)
    for index in batch.indices {
      turn.schedules.append((batch[index].row, schedules[index], batch[index].pending))
    }
  }
}
