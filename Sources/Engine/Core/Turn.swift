import CivilTime
import Outbox
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
  /// The recipients of the events of the request under way.
  var arrived: [RecipientCache.Person] = []
  /// The number of the request under way.
  var request = 0
  /// What was looked up of the submitted events that are not taken in yet, in their order.
  var lookedUp: ArraySlice<LookedUp> = []
  /// New schedules, by row.
  var schedules: [NewSchedule] = []
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
  /// Whether there are new analytics events.
  var hasAnalytics = false
  /// What of a change of the tz database this turn has carried out.
  var zoneUpdate = ZoneUpdate(version: "", zones: [])
  /// The zones of those whom it plans anew that the tz database has lost.
  var lostZones = LostZones()
  /// What other catalogs end for those whom it plans anew.
  var ended = EndedReminders()
  /// What it has for each lane.
  var offers: [Dispatcher.Offer] = []
  /// How many of its queue a lane's sink has answered for, by the lane's number.
  var answered: [Int: Int] = [:]
  var deliveryNotes = DeliveryNotes()
  /// Whether it looks for what apps have left in the store, and what of that was not taken in.
  var takesSubmissions = false
  /// What events tell people of other owners.
  var copies: [Event] = []
  var refusedSubmissions: [SettledSubmission] = []
  /// The recipients whose planning did not end, by row.
  var setAside: [UInt32: SetAsideRecipient] = [:]
  /// The rows of recipients who had been set aside and are planned again.
  private(set) var replanned: [UInt32] = []
  /// The sinks that are paused from now on, where that changes.
  var pausedSinks: Set<String>?
  /// The sinks that an operator has resumed, be it that they were not paused.
  var resumedSinks: Set<String> = []

  /// What of somebody is planned now; nil of who is erased.
  typealias NewSchedule = (row: UInt32, schedule: Schedule?, pendingBefore: Int)

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

  /// All that a request has brought is there: it is folded before a later one looks at the person,
  /// or at the end with everybody else's (rule E6).
  mutating func endRequest() {
    arrived.removeAll(keepingCapacity: true)
    request += 1
  }

  /// Notes that a recipient is planned.
  mutating func planned(_ row: UInt32, wasSetAside: Bool) {
    if wasSetAside, setAside[row] == nil { replanned.append(row) }
  }

  /// For a delivery and a schedule of so many recipients.
  mutating func makeRoom(for count: Int) {
    deliveries.reserveCapacity(deliveries.count + count)
    schedules.reserveCapacity(schedules.count + count)
  }

  func hasWork(_ requests: [Request]) -> Bool {
    !(requests.isEmpty && dueRows.isEmpty && staleRows.isEmpty) || takesSubmissions
  }
}
