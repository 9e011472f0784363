import CivilTime
import Reminders
import Store
import TimerWheel

/// Whose turn it is when: a timer for each recipient, those who are due, and those who are to be
/// planned anew. It knows no clock.
struct ScheduleIndex: ~Copyable {
  private var wheel: TimerWheel
  private var timers = RowTimers()
  /// Recipients that are due, in the order of their rows, and how many of them are fired next.
  private(set) var due = RowQueue()
  private var pace = FiringPace()
  /// Recipients that are to be planned anew.
  private(set) var stale = RowQueue()
  private(set) var recipients = 0
  private(set) var pending = 0
  /// What is due next, for those who ask.
  private(set) var next = NextDue()

  init(now: Instant) {
    wheel = TimerWheel(now: now.milliseconds)
  }

  /// Whether recipients wait for their turn.
  var hasWork: Bool { !due.isEmpty || !stale.isEmpty }

  /// When the first of those is due who are not due yet.
  mutating func earliest() -> Instant? { wheel.earliest().map { Instant(milliseconds: $0) } }

  /// Takes in a recipient that the store has.
  ///
  /// - Parameter isStale: whether the schedule was planned with something else than is in force.
  mutating func load(_ row: UInt32, _ schedule: Schedule, isStale: Bool) {
    recipients += 1
    pending += schedule.pending
    timers.admit(row)
    if isStale {
      stale.append(row)
    } else if let due = schedule.due {
      timers[row] = wheel.insert(deadline: due.milliseconds, payload: row).index
    }
  }

  /// Forgets recipients who are another node's.
  mutating func remove(_ people: [(row: UInt32, pending: Int)]) {
    recipients -= people.count
    let rows = Set(people.map(\.row))
    for (row, pending) in people {
      self.pending -= pending
      set(row, due: nil)
      timers.dismiss(row)
    }
    due.remove(rows)
    stale.remove(rows)
  }

  /// Whoever is due by now waits for their turn.
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

  /// Everyone is to be planned anew.
  mutating func replanEveryone() {
    timers.forEachRow { stale.append($0) }
  }

  /// Those who are fired next.
  mutating func firstDue() -> ArraySlice<UInt32> { due.first(pace.count) }

  /// Those who are planned anew next.
  mutating func firstStale() -> ArraySlice<UInt32> { stale.first(EngineCore.batch) }

  /// So many have had their turn, and that is on disk.
  mutating func remove(due fired: Int, stale replanned: Int) {
    due.removeFirst(fired)
    pace.advance(isIdle: due.isEmpty)
    stale.removeFirst(replanned)
  }

  /// Goes by schedules that are on disk.
  ///
  /// - Parameter newcomers: how many recipients are new.
  mutating func take(_ schedules: [Turn.NewSchedule], newcomers: Int) {
    recipients += newcomers
    for (row, schedule, before) in schedules {
      pending += (schedule?.pending ?? 0) - before
      timers.admit(row)
      set(row, due: schedule?.due)
      if schedule == nil { timers.dismiss(row) }
    }
  }

  /// - Parameter row: that of somebody who is ours.
  private mutating func set(_ row: UInt32, due: Instant?) {
    if let timer = timers[row] { _ = wheel.cancel(index: timer, payload: row) }
    timers[row] = due.map { wheel.insert(deadline: $0.milliseconds, payload: row).index }
  }

  /// Brings up to date what is due next.
  mutating func lookAhead(now: Instant) {
    next.look(at: &wheel, now: now)
  }
}

/// Recipients' rows that wait for their turn. A crowd is worked through in the order of the rows,
/// for that is the order in which they lie on disk.
struct RowQueue {
  private var rows: [UInt32] = []
  private var head = 0
  private var isSorted = true

  var isEmpty: Bool { head == rows.count }
  var count: Int { rows.count - head }

  mutating func append(_ row: UInt32) {
    if let last = rows.last, head < rows.count, row < last { isSorted = false }
    rows.append(row)
  }

  /// The first rows, lowest first.
  mutating func first(_ limit: Int) -> ArraySlice<UInt32> {
    if !isSorted {
      rows[head...].sort()
      isSorted = true
    }
    return rows[head..<min(head + limit, rows.count)]
  }

  mutating func remove(_ gone: Set<UInt32>) {
    rows = rows[head...].filter { !gone.contains($0) }
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

/// How many of those who are due are fired in the next turn: few at first, so that what goes out
/// first waits for no crowd, and more with each turn as long as there are more.
struct FiringPace {
  private static let first = EngineCore.group
  private static let growth = 4

  private(set) var count = Self.first

  /// - Parameter isIdle: whether nobody is due any more.
  mutating func advance(isIdle: Bool) {
    count = isIdle ? Self.first : min(count * Self.growth, EngineCore.batch)
  }
}
