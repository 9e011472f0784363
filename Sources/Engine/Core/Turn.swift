import CivilTime
import Reminders
import Store

/// What one turn of the engine does, gathered within the transaction and carried out when it is on
/// disk: nothing is answered, handed on or set in the wheel before.
struct Turn {
  let now: Instant
  let planner: Planner
  var dueRows: ArraySlice<UInt32> = []
  var staleRows: ArraySlice<UInt32> = []

  var recipients = RecipientCache()
  /// Those of whom the request under way has told something.
  var arrived: [RecipientCache.Person] = []
  /// What was looked up of the submitted events that are not taken in yet, in their order.
  var lookedUp: ArraySlice<LookedUp> = []
  /// New schedules, by row.
  var schedules: [(row: UInt32, schedule: Schedule?, pendingBefore: Int)] = []
  var deliveries: [Delivery] = []
  /// The last notification recorded, delivered or not.
  var lastNotification: Int64?
  var notes = Notes()
  var counters = EngineCounters()
  var usage = Usage()
  /// What `usage` came to, once it is written.
  var usageCounts: [UsageKey: Int] = [:]
  /// Called when everything is on disk.
  var answers: [() -> Void] = []
  var newRecipients = 0
  /// What of a change of the tz database this turn has carried out.
  var zoneUpdate = ZoneUpdate(version: "", zones: [])
  /// When the next retry of each lane is due.
  var nextRetries: [Instant?] = []
  /// What each lane is offered.
  var offers: [[Delivery]] = []
  /// How many of its queue a lane's sink has answered for, by the lane's index.
  var answered: [Int: Int] = [:]
  var deliveryNotes = DeliveryNotes()

  /// What is known of an event before it is taken in.
  struct LookedUp {
    let identity: EventPlace
    /// The place of its recipient among the turn's people.
    let person: Int
  }

  init(now: Instant, planner: Planner) {
    self.now = now
    self.planner = planner
  }

  /// Counts how late a recipient is whose instant has come.
  ///
  /// - Parameter due: their instant.
  mutating func countLateness(since due: Instant?) {
    guard let due, due <= now else { return }
    counters.count(lateness: Double((now - due).milliseconds) / 1_000)
  }

  func hasWork(_ requests: [Request]) -> Bool {
    !(requests.isEmpty && dueRows.isEmpty && staleRows.isEmpty)
  }
}

/// Recipients' rows that wait for their turn. A batch is worked through in the order of the rows,
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

  mutating func append(upTo count: Int) {
    guard count > 0 else { return }
    for row in 1...UInt32(count) { append(row) }
  }

  /// The first rows, lowest first.
  mutating func first(_ limit: Int) -> ArraySlice<UInt32> {
    if !isSorted {
      rows[head...].sort()
      isSorted = true
    }
    return rows[head..<min(head + limit, rows.count)]
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
