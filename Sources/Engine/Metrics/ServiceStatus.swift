package import CivilTime
package import Outbox
package import Store

/// The service at a glance.
package struct ServiceStatus: Sendable {
  /// One sink's lane.
  package struct Lane: Sendable {
    package var sink: String
    /// Its type, as the configuration calls it; empty if it has none.
    package var type = ""
    /// Whether an operator has stopped what is handed to it.
    package var isPaused = false
    /// Decided and recorded, and not yet answered for by the sink.
    package var waiting: Int
    /// Handed over one by one after a failed attempt.
    package var retrying: Int
    /// What the sink said when it last failed, while it fails; "disabled: ..." for one that sends
    /// nothing until the service is started again.
    package var failure: String?
    /// With the sink, which has not answered for them yet.
    package var inFlight = 0
    /// Attempted no more.
    package var deadLetters = 0
    /// When the oldest of those that wait was decided.
    package var oldestWaiting: Instant?
    /// When the oldest of those that are retried was decided.
    package var oldestRetry: Instant?
    /// When the next of those that are retried is due.
    package var nextRetry: Instant?
    /// Whether the sink could not be made, for want of a secret for example; a reload tries again.
    package var isUnavailable = false
    package var breaker = BreakerState.closed
    /// Since when the sink has taken nothing, while it does not.
    package var failingSince: Instant?
    /// When a sink that takes nothing is tried again.
    package var nextAttempt: Instant?
    /// What the sink last said, since the start, to something that it did not take.
    package var lastFailure: SinkFailure?
    /// What it has said since the start.
    package var answers = LaneCounters()
    /// How much it has taken and not taken in each minute of the last hour, the oldest first.
    package var delivered: [Int] = []
    package var failed: [Int] = []
  }

  /// A reminder that goes out, and how many recipients are due at that instant.
  package struct Next: Sendable {
    package var reminder: String
    package var recipients: Int
    package var at: Instant
  }

  /// A part of the service that the watchdog watches.
  package struct Part: Sendable {
    package var name: String
    /// For how many seconds it has owed a sign of progress; 0 while it rests.
    package var age: Double
    /// How many seconds it may.
    package var allowance: Double
    /// Whether the service is restarted when it takes longer.
    package var isVital: Bool
  }

  package var now: Instant
  package var started: Instant
  package var recipients: Int
  package var pending: Int
  /// The first reminders that go out to this process's recipients, in order, as one recipient of
  /// each of the first due instants was decided. A crowd that cannot be counted soon enough ends
  /// the list.
  package var next: [Next]
  package var lanes: [Lane]
  /// The lane of analytics events, of which `waiting` counts no more than were looked at.
  package var analytics: Lane?
  /// Which sinks carry each channel, in order of fallback.
  package var routes = Routes([:])
  package var catalogs: [String]
  package var zoneDatabase: String
  package var defaultZone: String
  /// What planning goes by and is old, or ends within a year, in sentences.
  package var dataWarnings: [String] = []
  /// The zones that the tz database has lost, which `dataWarnings` contain.
  package var lostZones = LostZones()
  /// How many recipients are due and have not had their turn.
  package var due = 0
  /// How many recipients are to be planned anew.
  package var replanning = 0
  /// How many recipients are set aside because their planning did not end (rule H6).
  package var recipientsSetAside = 0
  /// How many deliveries are attempted no more, also by sinks that are gone.
  package var deadLetters = 0
  /// Why nothing can be written at present; nil while it can.
  package var storageFailure: String?
  /// What the store takes on disk, in bytes.
  package var storeSize: Int64 = 0
  /// The share of the store's file system that is in use, from 0 to 1; nil if it is unknown.
  package var diskUse: Double?
  /// What lies beside the store and holds what it was before.
  package var setAside: [String] = []
  /// What the store had acknowledged and has no more.
  package var loss: StoreLoss?
  /// Since when somebody is erased who may still be read in the store's files.
  package var erasureOpen: Instant?
  /// What was recorded last, while the clock is behind that and nothing fires.
  package var clockHold: Instant?
  /// What the wall clock says while that is not believed and nothing goes out.
  package var clockLeap: Instant?
  /// Why what the files of the configuration say is not in force; nil if it is.
  package var reloadFailure: String?
  /// What has been counted since the start.
  package var counters = EngineCounters()
  package var parts: [Part] = []
  /// Who works on the store; nil where it is this process's.
  package var fleet: FleetOverview?
}
