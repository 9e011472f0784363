import CivilTime
import Reminders
import Store

/// An engine cycle within its transaction, with the effects that it gathers for the time after the
/// commit.
///
/// It cannot be copied, so that only its effects outlive the transaction. It is passed `inout`,
/// which needs neither reference counting nor checks of exclusive access at run time.
struct Turn: ~Copyable {
  let transaction: any StoreWriter
  let planner: Planner
  let now: Instant
  let work: TurnWork
  /// Called between the steps of a long cycle, so that the watchdog sees progress.
  let showProgress: () -> Void
  /// Selects the distributed traces for which the cycle creates spans; nil without tracing.
  var sampler: TraceSampler?
  /// Whether the outcomes of notifications are recorded (rule M6).
  var logsOutcomes = false

  /// The recipients that the cycle has read or created for its requests.
  var recipients = RecipientCache()
  var requests = RequestProgress()
  /// The copies of events for recipients that other nodes own.
  var copies: [Event] = []
  /// The events with messages for other recipients, such as carers, that are not ingested yet (rule
  /// G17).
  var relays: [Event] = []
  var effects = TurnEffects()

  init(
    _ work: TurnWork, in transaction: any StoreWriter, planner: Planner, now: Instant,
    showProgress: @escaping () -> Void
  ) {
    self.work = work
    self.transaction = transaction
    self.planner = planner
    self.now = now
    self.showProgress = showProgress
  }

  /// The rows that were read for an event before it is ingested.
  struct EventRows {
    /// The result of looking up the event's source and id.
    let identity: EventLookup
    /// The index of the event's recipient in the cycle's cache.
    let recipient: Int
  }

  /// The progress through the cycle's requests.
  struct RequestProgress {
    /// The recipients of the current request's events.
    var recipients: [RecipientCache.Person] = []
    /// The number of the current request.
    private(set) var number = 0
    /// The rows that were read for the submitted events not ingested yet, in the events' order.
    var eventRows: ArraySlice<EventRows> = []
    /// Whether a recipient of the current request has `effects` to be carried out at its end.
    var hasEffects = false

    /// Ends the current request. Its events are applied to the facts before a later request reads
    /// the recipient, or at the end of the cycle (rule E6).
    mutating func end() {
      recipients.removeAll(keepingCapacity: true)
      hasEffects = false
      number += 1
    }
  }

  /// Counts the lateness of a recipient that is due.
  ///
  /// - Parameter due: the instant at which the recipient was due.
  mutating func countLateness(since due: Instant?) {
    guard let due, due <= now else { return }
    effects.counters.count(lateness: Double((now - due).milliseconds) / 1_000)
  }

  /// Writes the usage counts of the cycle, and the outcomes of notifications if they are recorded.
  /// Called once.
  mutating func saveUsage() throws {
    if logsOutcomes, !effects.usage.outcomes.isEmpty {
      try transaction.append(effects.usage.outcomes)
      effects.outbox.hasAnalytics = true
    }
    guard !effects.usage.isEmpty else { return }
    effects.usageCounts = effects.usage.counts
    try transaction.add(effects.usageCounts)
  }
}

/// The work of a cycle in addition to its requests, decided before its transaction begins.
struct TurnWork {
  /// The rows of the recipients to fire.
  var dueRows: ArraySlice<UInt32> = []
  /// The rows of the recipients to replan.
  var staleRows: ArraySlice<UInt32> = []
  /// Whether no recipient remains to be replanned after `staleRows`.
  var endsReplanning = false
  /// Whether to read the events that apps have inserted into the store.
  var readsSubmissions = false

  /// Returns whether there is work for the cycle, `requests` included.
  func isNeeded(for requests: [Request]) -> Bool {
    !(requests.isEmpty && dueRows.isEmpty && staleRows.isEmpty) || readsSubmissions
  }
}
