package import Access
package import CivilTime
package import Reminders
package import Store

/// The operations of the service, used by the HTTP interface.
package protocol ReminderService: Sendable {
  /// The planner that events are read with: the current catalog, zones and default zone.
  var planner: Planner { get }

  /// Submits events, all in one transaction; returns when they are on disk.
  ///
  /// - Returns: a receipt for each event, in order.
  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt]

  /// Submits events for callers without a task.
  ///
  /// - Parameter answer: called once, on any thread.
  func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>)

  /// The pending occurrences of a recipient; nil if the recipient is unknown.
  func agenda(of recipient: String) async throws(ServiceUnavailable) -> Agenda?

  /// The current state of a recipient; nil if unknown. Callers derive values from it without the
  /// engine.
  func recipient(_ name: String) async throws(ServiceUnavailable) -> Recipient?

  /// The records of a notification, by the id that its deliveries carry.
  func history(
    of recipient: String, notification: String
  ) async throws(ServiceUnavailable) -> HistoryAnswer

  /// Submits an event and returns its effects on pending occurrences (rule P5).
  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt

  /// The cancelled occurrences that a recipient may resume (rule N4); nil if the recipient is
  /// unknown.
  func cancelled(of recipient: String) async throws(ServiceUnavailable) -> Agenda?

  /// A page of a recipient's inbox (rule N1); empty if the recipient is unknown.
  func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(ServiceUnavailable) -> InboxPage

  /// The number of delivered notifications that a recipient has not dismissed (rule D6); 0 if the
  /// recipient is unknown.
  func arrived(of recipient: String) async throws(ServiceUnavailable) -> Int

  /// A page of a recipient's notifications (rule N6); nil if the recipient is unknown.
  func notificationHistory(
    of recipient: String, _ question: HistoryQuestion
  ) async throws(ServiceUnavailable) -> NotificationHistory?

  /// Begins to signal new deliveries for a recipient, for as long as the watch is kept.
  ///
  /// - Parameter start: the position to continue from, as a stream has returned it; nil for now.
  func watch(
    _ recipient: String, from start: String?, telling signal: StreamSignal
  ) async throws(ServiceUnavailable) -> WatchAnswer

  /// The deliveries for the recipient of a watch since the last page, on some channels; nil if
  /// there are more than a stream catches up on.
  func page(
    of watch: Watch, _ backlog: Backlog, on channels: ChannelSet
  ) async throws(ServiceUnavailable) -> StreamPage?

  /// Marks inbox items as read, or dismisses notifications; nil if the recipient is unknown.
  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt?

  /// A page of all recipients, by name.
  func recipients(
    _ question: RecipientQuestion
  ) async throws(ServiceUnavailable) -> RecipientPage

  /// A page of the notifications of all recipients, including those that were not sent.
  func feed(_ question: FeedQuestion) async throws(ServiceUnavailable) -> FeedPage

  func deadLetters(
    _ question: DeadLetterQuestion
  ) async throws(ServiceUnavailable) -> DeadLetterPage

  /// A dead letter by its id; nil if there is none.
  func deadLetter(_ letter: String) async throws(ServiceUnavailable) -> DeadLetter?

  /// The number of dead letters in each group, up to the limit of one query.
  func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter
  ) async throws(ServiceUnavailable) -> DeadLetterGroups

  /// Sends dead letters again, or discards them; nil if the given one does not exist.
  func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt?

  /// Pauses or resumes a sink. Deliveries for a paused sink wait, also across restarts (rule D3).
  ///
  /// - Returns: whether there is such a sink.
  func setPaused(_ isPaused: Bool, sink: String) async throws(ServiceUnavailable) -> Bool

  /// Sends one test delivery to one sink, also while it is paused or fails, and returns its answer.
  /// The test is not recorded and has no fallback (rule D5).
  func trySink(_ order: SinkTestOrder) async throws(ServiceUnavailable) -> SinkTestReceipt

  /// Sends a test notification (rule D5); nil if the recipient is unknown.
  ///
  /// - Parameter observer: called with each step after the answer, until the last one or until
  ///   `forgetTest`.
  func sendTest(
    _ recipient: String, _ order: TestOrder, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt?

  /// Stops observing a test.
  func forgetTest(_ notification: String)

  /// The data that retention will remove (rule H7), up to the limit of one query.
  func prunable(
    _ question: PruningQuestion
  ) async throws(ServiceUnavailable) -> PruningForecast

  func status() async throws(ServiceUnavailable) -> ServiceStatus

  /// The nodes of the fleet and the shards that they own; nil without a fleet.
  func fleet() async throws(ServiceUnavailable) -> FleetOverview?

  /// Starts or stops draining a node of the fleet; nil without a fleet.
  ///
  /// - Parameter node: its name, or its incarnation.
  func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision?

  /// Signals possible changes of the status, for as long as the watch is kept; nil if changes
  /// cannot be observed.
  func watchStatus(telling signal: StreamSignal) -> ViewWatch?

  /// Recent activity.
  func activity(_ question: ActivityQuestion) async throws(ServiceUnavailable) -> Activity

  /// Compares the recipients' next days under another catalog with those that are planned.
  ///
  /// - Parameter planner: the planner with that catalog.
  func trial(
    of planner: Planner, days: Int
  ) async throws(ServiceUnavailable) -> CatalogTrial

  /// The held occurrences that another catalog would end.
  ///
  /// - Parameter planner: the planner with that catalog.
  func ended(by planner: Planner) async throws(ServiceUnavailable) -> [EndedReminder]

  /// How many notifications will be sent (rule L2).
  func forecast(_ question: ForecastQuestion) async throws(ServiceUnavailable) -> Forecast

  func metrics() async throws(ServiceUnavailable) -> ServiceMetrics

  /// A page of the analytics events (rule M1); nil if the recipient is unknown.
  func analytics(_ query: AnalyticsQuery) async throws(ServiceUnavailable) -> AnalyticsPage?

  /// A page of the export of a recipient (rule H4); nil if the recipient is unknown.
  func export(
    _ recipient: String, _ place: ExportPage.Place
  ) async throws(ServiceUnavailable) -> ExportPage?

  /// The use of notifications on a range of the recipients' local dates, both ends included (rule
  /// M2).
  func usage(
    from first: LocalDate, through last: LocalDate
  ) async throws(ServiceUnavailable) -> UsageTable

  /// Runs a computation on a separate thread, where it delays no other request.
  func work<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value

  /// Runs a computation that may take seconds, such as a check of a submitted catalog. A few such
  /// jobs wait; more are refused as `busy` (rule H16).
  func heavyWork<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value

  /// A copy of the store as it is on disk now.
  func backup() async throws(ServiceUnavailable) -> any StoreBackup
}

extension ReminderService {
  /// Empty: without an engine no recipient is known.
  package func ended(by planner: Planner) async throws(ServiceUnavailable) -> [EndedReminder] { [] }

  /// Empty: without an engine no recipient is known.
  package func forecast(
    _ question: ForecastQuestion
  ) async throws(ServiceUnavailable) -> Forecast {
    Forecast(now: Instant(milliseconds: 0), question)
  }

  package func activity(
    _ question: ActivityQuestion
  ) async throws(ServiceUnavailable) -> Activity {
    ActivityLog().activity(question, now: Instant(milliseconds: 0))
  }

  package func trial(
    of planner: Planner, days: Int
  ) async throws(ServiceUnavailable) -> CatalogTrial {
    let now = Instant(milliseconds: 0)
    return CatalogTrial(now: now, end: now + .days(days), people: 0)
  }

  package func work<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    body()
  }

  package func heavyWork<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    body()
  }

  package func watchStatus(telling signal: StreamSignal) -> ViewWatch? { nil }

  package func fleet() async throws(ServiceUnavailable) -> FleetOverview? { nil }

  package func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? { nil }

  package func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>) {
    Task {
      do throws(ServiceUnavailable) {
        answer(.success(try await submit(events)))
      } catch {
        answer(.failure(error))
      }
    }
  }
}

/// Why the service cannot answer now; the description is for the caller.
package struct ServiceUnavailable: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    case stopping
    case storageFull
    /// Another program has locked the store.
    case storeLocked
    /// The store does not support backups.
    case noBackup
    /// The request failed, and would fail again.
    case failed
    case overloaded
    /// Long computations of other callers are running; the client has to try again later.
    case busy
    /// The clock is far behind the store's records (rule T12).
    case clockBehind
    /// Another node owns the recipient, or will.
    case elsewhere
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// The stored bearer tokens (rule H1).
package protocol TokenService: Sendable {
  /// The current record of a token; nil if there is none.
  func token(_ identifier: String) -> TokenRecord?

  /// Records the use of a token. It is written later, with other changes.
  func noteUse(of identifier: String, at now: Instant)

  /// All tokens, the oldest first.
  var tokens: [TokenRecord] { get }

  /// Adds a token; returns when it is on disk.
  func add(_ token: TokenRecord) async throws(ServiceUnavailable)

  /// Revokes a token; returns when that is on disk. A token that was revoked before stays
  /// unchanged.
  ///
  /// - Returns: the token, or nil if there is none.
  func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord?
}

extension Engine: TokenService {
  package func token(_ identifier: String) -> TokenRecord? { tokenTable[identifier] }

  package func noteUse(of identifier: String, at now: Instant) {
    guard tokenTable.noteUse(of: identifier, at: now) else { return }
    requestQueue.post(.token(.use(identifier: identifier, now)) { _ in })
  }

  package var tokens: [TokenRecord] { tokenTable.all }

  package func add(_ token: TokenRecord) async throws(ServiceUnavailable) {
    _ = try await ask { .token(.add(token), $0) }
  }

  package func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord? {
    try await ask { .token(.revoke(identifier: identifier, now), $0) }
  }
}
