import CivilTime
import Reminders
import Store
import TimerWheel

/// The due times of recipients. There is a timer for each recipient, a queue of the due recipients,
/// and a queue of the stale ones, which have to be replanned. It reads no clock.
struct ScheduleIndex: ~Copyable {
  private var wheel: TimerWheel
  private var timers = RowTimers()
  /// Due recipients, in order of rows.
  private(set) var due = RowQueue()
  /// How many due recipients the next engine cycle fires.
  private var pace = FiringPace()
  /// Recipients to be replanned.
  private(set) var stale = RowQueue()
  /// The number of recipients of this engine.
  private(set) var recipients = 0
  /// The number of pending occurrences of these recipients.
  private(set) var pending = 0
  /// The first due instants, for the status.
  private(set) var next = NextDue()

  init(now: Instant) {
    wheel = TimerWheel(now: now.milliseconds)
  }

  /// Whether recipients are due or stale.
  var hasWork: Bool { !due.isEmpty || !stale.isEmpty }

  /// Returns the next deadline of the wheel; nil if it has no timers. Recipients that are already
  /// due have no timer.
  mutating func earliest() -> Instant? { wheel.earliest().map { Instant(milliseconds: $0) } }

  /// Adds a recipient that was read from the store.
  ///
  /// - Parameter isStale: whether the recipient has to be replanned.
  mutating func load(_ row: UInt32, _ schedule: Schedule, isStale: Bool) {
    recipients += 1
    pending += schedule.pending
    timers.addRecipient(row)
    if isStale {
      stale.append(row)
    } else if let due = schedule.due {
      timers[row] = wheel.insert(deadline: due.milliseconds, payload: row).index
    }
  }

  /// Removes recipients that move to another node.
  ///
  /// - Parameter people: the rows of the recipients, and the number of pending occurrences of each.
  mutating func remove(_ people: [(row: UInt32, pending: Int)]) {
    recipients -= people.count
    let rows = Set(people.map(\.row))
    for (row, pending) in people {
      self.pending -= pending
      set(row, due: nil)
      timers.removeRecipient(row)
    }
    due.remove(rows)
    stale.remove(rows)
  }

  /// Moves recipients whose time has come from the wheel to `due`.
  mutating func advance(to now: Instant) {
    Self.advance(&wheel, &timers, &due, to: now)
  }

  private static func advance(
    _ wheel: inout TimerWheel, _ timers: inout RowTimers, _ due: inout RowQueue,
    to now: Instant
  ) {
    wheel.advance(to: now.milliseconds) { row, _ in
      timers[row] = nil
      due.append(row)
    }
  }

  /// Makes every recipient stale.
  mutating func replanEveryone() {
    stale = RowQueue()
    timers.forEachRow { stale.append($0) }
  }

  /// Returns the due rows to fire next.
  mutating func firstDue() -> ArraySlice<UInt32> { due.first(pace.count) }

  /// Returns the stale rows to replan next.
  mutating func firstStale() -> ArraySlice<UInt32> { stale.first(EngineCore.batchMax) }

  /// Removes the first rows of both queues after the commit of the cycle that processed them.
  ///
  /// - Parameters:
  ///   - fired: the number of due rows that were fired.
  ///   - replanned: the number of stale rows that were replanned.
  mutating func remove(due fired: Int, stale replanned: Int) {
    due.removeFirst(fired)
    pace.advance(isIdle: due.isEmpty)
    stale.removeFirst(replanned)
  }

  /// Applies committed schedules.
  ///
  /// - Parameter newcomers: the number of new recipients.
  mutating func apply(_ schedules: [TurnEffects.NewSchedule], newcomers: Int) {
    recipients += newcomers
    for (row, schedule, previousPending) in schedules {
      pending += (schedule?.pending ?? 0) - previousPending
      timers.addRecipient(row)
      set(row, due: schedule?.due)
      if schedule == nil { timers.removeRecipient(row) }
    }
  }

  /// Replaces a recipient's timer.
  ///
  /// - Parameter row: a row with a recipient of this engine.
  private mutating func set(_ row: UInt32, due: Instant?) {
    if let timer = timers[row] { _ = wheel.cancel(index: timer, payload: row) }
    timers[row] = due.map { wheel.insert(deadline: $0.milliseconds, payload: row).index }
  }

  mutating func updateNext(now: Instant) {
    next.update(from: &wheel, now: now)
  }
}

/// A queue of recipients' rows. A burst of due recipients is processed in order of rows, which is
/// their order on disk.
struct RowQueue {
  private var rows: [UInt32] = []
  /// The index of the first row in the queue; earlier elements of `rows` were removed.
  private var head = 0
  /// Whether the rows from `head` on ascend.
  private var isSorted = true

  var isEmpty: Bool { head == rows.count }
  var count: Int { rows.count - head }

  mutating func append(_ row: UInt32) {
    if let last = rows.last, head < rows.count, row < last { isSorted = false }
    rows.append(row)
  }

  /// Returns the next rows, in ascending order.
  mutating func first(_ limit: Int) -> ArraySlice<UInt32> {
    if !isSorted {
      rows[head...].sort()
      isSorted = true
    }
    return rows[head..<min(head + limit, rows.count)]
  }

  mutating func remove(_ removed: Set<UInt32>) {
    rows = rows[head...].filter { !removed.contains($0) }
    head = 0
  }

  mutating func removeFirst(_ count: Int) {
    head += count
    guard head == rows.count else { return }
    rows.removeAll(keepingCapacity: rows.capacity <= 65_536)
    head = 0
    isSorted = true
  }
}

/// How many due recipients are fired in the next cycle. The first cycle of a burst fires few, so
/// that their notifications are sent early. Each following cycle fires four times as many, up to
/// `EngineCore.batchMax`.
struct FiringPace {
  /// How many recipients the first cycle of a burst fires.
  private static let initialCount = RecipientFiring.groupMax
  /// The factor by which the count grows with each cycle.
  private static let growth = 4

  private(set) var count = Self.initialCount

  /// - Parameter isIdle: whether no recipient is due any longer.
  mutating func advance(isIdle: Bool) {
    count = isIdle ? Self.initialCount : min(count * Self.growth, EngineCore.batchMax)
  }
}
