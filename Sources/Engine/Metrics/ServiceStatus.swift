package import Access
package import CivilTime
package import Outbox
package import Store

/// The state of the whole service.
package struct ServiceStatus: Sendable {
  /// A lane, which is the queue of one sink.
  package struct Lane: Sendable {
    package var sink: String
    /// The sink's type in the configuration; empty if it has none.
    package var type = ""
    /// Whether an operator has paused dispatching to the sink.
    package var isPaused = false
    /// Recorded deliveries that the sink has not answered.
    package var waiting: Int
    /// Deliveries in retry, which are dispatched apart from the queue after a failed attempt.
    package var retrying: Int
    /// The reason why the sink sends nothing; nil while it sends. It is the reason why the sink
    /// could not be created, "disabled: ..." if it has disabled itself, or its latest failure.
    package var failure: String?
    /// Dispatched deliveries that the sink has not answered.
    package var inFlight = 0
    /// Dead letters of the sink: deliveries with no attempts left.
    package var deadLetters = 0
    /// When the gates passed the oldest waiting delivery.
    package var oldestWaiting: Instant?
    /// When the gates passed the oldest delivery in retry.
    package var oldestRetry: Instant?
    /// When the next retry is due.
    package var nextRetry: Instant?
    /// Whether the sink could not be created, for example because its secret is missing; a reload
    /// tries again.
    package var isUnavailable = false
    package var breaker = BreakerState.closed
    /// The start of the outage; nil if the sink is not down.
    package var failingSince: Instant?
    /// When the next attempt at the sink is due, while the sink is down; nil otherwise.
    package var nextAttempt: Instant?
    /// When and why the sink last did not accept a delivery, since the start.
    package var lastFailure: SinkFailure?
    /// Counters of the sink's answers since the start.
    package var answers = LaneCounters()
    /// The number of deliveries accepted in each minute of the last hour, oldest first.
    package var delivered: [Int] = []
    /// The number of deliveries that are tried again or were rejected, in each of these minutes.
    package var failed: [Int] = []
  }

  /// A reminder that is sent next. `recipients` is the number of examined recipients to whom
  /// something is sent at that instant.
  package struct Next: Sendable {
    package var reminder: String
    package var recipients: Int
    package var at: Instant
    /// Whether there are further recipients, not examined, to whom something may be sent at that
    /// instant.
    package var hasMore = false
  }

  /// A part of the service that the watchdog supervises.
  package struct Part: Sendable {
    package var name: String
    /// Seconds since the part last reported progress, or since its sleep should have ended; 0 while
    /// it is idle.
    package var secondsWithoutProgress: Double
    /// The allowed value of `secondsWithoutProgress`.
    package var allowance: Double
    /// Whether the watchdog restarts the service if `secondsWithoutProgress` exceeds `allowance`.
    package var isVital: Bool
  }

  package var now: Instant
  /// The time at which the engine was created.
  package var started: Instant
  /// The number of recipients of this process.
  package var recipients: Int
  /// The number of pending occurrences of these recipients.
  package var pending: Int
  /// The next reminders of this process's recipients, in order of time. At each of the first due
  /// instants, a bounded number of the due recipients is examined. Later instants are missing if
  /// they have too many recipients to count.
  package var next: [Next]
  package var lanes: [Lane]
  /// The lane of analytics events; its `waiting` counts events only up to a limit.
  package var analytics: Lane?
  /// The lane of outcomes (rule M6).
  package var outcomes: Lane?
  /// The sinks of each channel, in order of fallback.
  package var routes = Routes([:])
  /// The names of the catalogs.
  package var catalogs: [String]
  /// The release of the tz database.
  package var zoneDatabase: String
  /// The name of the zone of recipients who have reported none.
  package var defaultZone: String
  /// Sentences about planning data that is outdated or ends within a year.
  package var dataWarnings: [String] = []
  /// The tokens of apps that expire soon or have expired, in the order of expiry.
  package var endingTokens: [EndingToken] = []
  /// The zones missing from the tz database, which `dataWarnings` includes.
  package var lostZones = LostZones()
  /// Due recipients that are not yet processed.
  package var due = 0
  /// Recipients to be replanned.
  package var replanning = 0
  /// Recipients set aside because their planning exceeded its bound (rule H6).
  package var recipientsSetAside = 0
  /// All dead letters, including those of removed sinks.
  package var deadLetters = 0
  /// The reason why the store rejects writes; nil while it accepts them.
  package var storageFailure: String?
  /// The size of the store on disk, in bytes.
  package var storeSize: Int64 = 0
  /// The share of the store's file system that is in use, from 0 to 1; nil if it is unknown.
  package var diskUse: Double?
  /// The names of files of replaced or damaged stores.
  package var setAsideFiles: [String] = []
  /// Acknowledged data that the store has lost; nil if nothing is missing.
  package var loss: StoreLoss?
  /// The time since which data of an erased recipient may be readable in the store's files; nil if
  /// the files contain no such data.
  package var erasureOpen: Instant?
  /// The time of the newest record, while the clock is behind it and nothing fires; nil otherwise.
  package var clockHold: Instant?
  /// The wall clock's time, while it is not trusted and nothing is sent; nil otherwise.
  package var clockLeap: Instant?
  /// The reason why the configuration files are not applied; nil if they are.
  package var reloadFailure: String?
  /// A sentence for each sink that continues with its former settings (rule S9).
  package var outdatedSinks: [String] = []
  /// The result of the latest nightly audit; nil if there was none since the start.
  package var audit: AuditSummary?
  /// Counters since the start.
  package var counters = EngineCounters()
  package var parts: [Part] = []
  /// The nodes that share the store; nil if the store belongs to this process alone.
  package var fleet: FleetOverview?
}
