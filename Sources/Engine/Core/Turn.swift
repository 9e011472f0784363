import CivilTime
import Outbox
import Reminders
import Store

/// The work of one engine cycle, collected within its transaction and carried out when that is on
/// disk: no answer, dispatch or change of the wheel comes earlier.
struct Turn {
  let now: Instant
  let planner: Planner
  var dueRows: ArraySlice<UInt32> = []
  var staleRows: ArraySlice<UInt32> = []

  var recipients = RecipientCache()
  /// The recipients of the current request's events.
  var arrived: [RecipientCache.Person] = []
  /// The number of the current request.
  var request = 0
  /// The reads for the submitted events that are not ingested yet, in the events' order.
  var lookedUp: ArraySlice<LookedUp> = []
  /// New schedules, by row.
  var schedules: [NewSchedule] = []
  var deliveries: [Delivery] = []
  /// The last notification recorded, with or without deliveries.
  var lastNotification: Int64?
  var notes = Notes()
  var counters = EngineCounters()
  var usage = Usage()
  /// The counts of `usage`, once they are written.
  var usageCounts: [UsageKey: Int] = [:]
  /// Called when everything is on disk.
  var answers: [() -> Void] = []
  var newRecipients = 0
  /// Whether there are new analytics events.
  var hasAnalytics = false
  /// The effects of a change of the tz database in this cycle.
  var zoneUpdate = ZoneUpdate(version: "", zones: [])
  /// The zones that the tz database has lost, among the recipients replanned in this cycle.
  var lostZones = LostZones()
  /// The occurrences that other catalogs end, of each recipient replanned in this cycle.
  var ended: [EndedOccurrences] = []
  /// The new deliveries for each lane.
  var offers: [Dispatcher.Offer] = []
  /// How many of its queue a lane's sink has answered, by the lane's number.
  var answered: [Int: Int] = [:]
  var deliveryNotes = DeliveryNotes()
  /// Whether this cycle reads the events that apps have inserted into the store; the rejected ones
  /// are in `refusedSubmissions`.
  var takesSubmissions = false
  /// The copies of events for recipients of other owners.
  var copies: [Event] = []
  var refusedSubmissions: [SettledSubmission] = []
  /// The recipients whose planning did not end, by row.
  var setAside: [UInt32: SetAsideRecipient] = [:]
  /// The rows of recipients who had been set aside and are planned again.
  private(set) var replanned: [UInt32] = []
  /// The sinks that are paused from now on; nil if that does not change.
  var pausedSinks: Set<String>?
  /// The sinks that an operator has resumed, even if they were not paused.
  var resumedSinks: Set<String> = []

  /// The new schedule of a recipient; nil for an erased one.
  typealias NewSchedule = (row: UInt32, schedule: Schedule?, pendingBefore: Int)

  /// The reads for an event before it is ingested.
  struct LookedUp {
    let identity: EventPlace
    /// The index of its recipient among the cycle's people.
    let person: Int
  }

  init(now: Instant, planner: Planner) {
    self.now = now
    self.planner = planner
  }

  /// Counts the lateness of a recipient that is due.
  ///
  /// - Parameter due: the instant at which the recipient was due.
  mutating func countLateness(since due: Instant?) {
    guard let due, due <= now else { return }
    counters.count(lateness: Double((now - due).milliseconds) / 1_000)
  }

  /// Ends the current request. Its events are folded before a later request reads the recipient, or
  /// at the end with all others (rule E6).
  mutating func endRequest() {
    arrived.removeAll(keepingCapacity: true)
    request += 1
  }

  /// Notes that a recipient was planned.
  mutating func planned(_ row: UInt32, wasSetAside: Bool) {
    if wasSetAside, setAside[row] == nil { replanned.append(row) }
  }

  /// Notes that ended occurrences of the recipient replanned last are recorded.
  mutating func recorded(_ ended: [Firing], of row: UInt32) {
    guard let last = self.ended.indices.last, self.ended[last].row == row else { return }
    self.ended[last].record(ended)
  }

  /// Reserves memory for the deliveries and schedules of so many recipients.
  mutating func makeRoom(for count: Int) {
    deliveries.reserveCapacity(deliveries.count + count)
    schedules.reserveCapacity(schedules.count + count)
  }

  func hasWork(_ requests: [Request]) -> Bool {
    !(requests.isEmpty && dueRows.isEmpty && staleRows.isEmpty) || takesSubmissions
  }
}
