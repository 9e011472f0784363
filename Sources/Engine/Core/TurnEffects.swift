import Outbox
import Reminders
import Store

/// The effects of an engine cycle. The cycle gathers the effects within its transaction, and
/// carries them out when the transaction is on disk. No answer, dispatch or change of the timer
/// wheel comes earlier.
struct TurnEffects {
  /// The functions to call when everything is on disk. They answer requests, or change the engine's
  /// memory.
  var answers: [() -> Void] = []
  /// New schedules, by row.
  var schedules: [NewSchedule] = []
  /// The numbers of withdrawn notifications, by the rows of their recipients.
  var withdrawn: [UInt32: Set<Int64>] = [:]
  /// The number of recipients that the cycle has created.
  var newRecipients = 0
  var setAside = SetAsideChanges()
  var planning = PlanningEffects()
  var outbox = DeliveryEffects()
  /// The reports of firings for the journal.
  var notes = OccurrenceNotes()
  /// The cycle's increments of the engine's counters.
  var counters = EngineCounters()
  /// The usage counts and the outcomes of notifications that the cycle collects.
  var usage = Usage()
  /// The counts of `usage`, once they are written.
  var usageCounts: [UsageKey: Int] = [:]
  /// The rejected submissions of apps.
  var refusedSubmissions: [FinishedSubmission] = []
  /// The spans of sampled distributed traces.
  var spans: [TraceSpan] = []

  /// The new schedule of a recipient, and the number of occurrences that were pending before the
  /// cycle. The schedule is nil if the recipient was erased.
  typealias NewSchedule = (row: UInt32, schedule: Schedule?, pendingBefore: Int)

  /// Reserves memory for the deliveries and schedules of `count` recipients.
  mutating func reserve(_ count: Int) {
    outbox.deliveries.reserveCapacity(outbox.deliveries.count + count)
    schedules.reserveCapacity(schedules.count + count)
  }
}

/// The recipients that a cycle has set aside because their planning exceeded its bound, and the
/// recipients who had been set aside and are planned again.
struct SetAsideChanges {
  /// The recipients set aside, by row.
  var recipients: [UInt32: SetAsideRecipient] = [:]
  /// The rows of recipients who had been set aside and are planned again.
  private(set) var replanned: [UInt32] = []

  /// Records that the recipient of a row was planned.
  mutating func addPlanned(_ row: UInt32, wasSetAside: Bool) {
    if wasSetAside, recipients[row] == nil { replanned.append(row) }
  }
}

/// The effects of a cycle that has replanned recipients, for counts and reports.
struct PlanningEffects {
  /// The effects of a change of the tz database.
  var zoneUpdate = ZoneUpdate(version: "", zones: [])
  /// The zones that these recipients have and the tz database has lost.
  var lostZones = LostZones()
  /// The occurrences that a change of the catalogs ends, for each recipient.
  var ended: [EndedOccurrences] = []

  /// Records that the store contains the results of ended occurrences of a recipient. Has no effect
  /// unless that recipient was replanned last.
  mutating func addRecorded(_ firings: [Firing], of row: UInt32) {
    guard let last = ended.indices.last, ended[last].row == row else { return }
    ended[last].record(firings)
  }
}

/// The effects of a cycle on deliveries, lanes (the queues of sinks) and sinks.
struct DeliveryEffects {
  /// The deliveries of the notifications that the cycle has recorded.
  var deliveries: [Delivery] = []
  /// The last notification recorded, with or without deliveries; nil if there is none.
  var lastNotification: Int64?
  /// The new deliveries for each lane.
  var offers: [Dispatcher.Offer] = []
  /// Whether an erasure has emptied texts of waiting deliveries (rule E12), so that the gates are
  /// evaluated again before anything is dispatched.
  var hasEmptiedTexts = false
  /// The number of deliveries of each lane's queue that its sink has answered, by lane number.
  var answered: [Int: Int] = [:]
  /// The reports of deliveries for the journal.
  var notes = DeliveryNotes()
  /// Whether there are new analytics events.
  var hasAnalytics = false
  /// The sinks that are paused from now on; nil if that does not change.
  var pausedSinks: Set<String>?
  /// The sinks that an operator has resumed, even if they were not paused.
  var resumedSinks: Set<String> = []
}
