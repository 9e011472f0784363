package import Access
package import CivilTime
package import Reminders
package import Store

/// What the service does for those who talk to it; the HTTP interface knows nothing else of it.
package protocol ReminderService: Sendable {
  /// What events are read with: the catalog, the zones and the default zone now in force.
  var planner: Planner { get }

  /// Takes events in, all of them in one transaction; answers when they are on disk.
  ///
  /// - Returns: a receipt for each, in order.
  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt]

  /// The same for who has no task to wait in.
  ///
  /// - Parameter answer: called once, from whatever thread.
  func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>)

  /// What is pending for a recipient; nil for an unknown one.
  func agenda(of recipient: String) async throws(ServiceUnavailable) -> Agenda?

  /// A recipient as they are now; nil for an unknown one. Who asks works out of it what they want
  /// to know, for that is pure.
  func recipient(_ name: String) async throws(ServiceUnavailable) -> Recipient?

  /// What is on disk of a notification that has had its turn, by the id that deliveries carry.
  func history(
    of recipient: String, notification: String
  ) async throws(ServiceUnavailable) -> HistoryAnswer

  /// Takes an event in and says what it changes of what is pending (rule P5).
  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt

  /// What a recipient has cancelled and may resume (rule N4); nil for an unknown one.
  func cancelled(of recipient: String) async throws(ServiceUnavailable) -> Agenda?

  /// A page of a recipient's inbox (rule N1); an empty one where nothing is known.
  func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(ServiceUnavailable) -> InboxPage

  /// How much of what has arrived a recipient has not dismissed (rule D6); 0 where nothing is
  /// known.
  func arrived(of recipient: String) async throws(ServiceUnavailable) -> Int

  /// What a recipient was told (rule N4); nil for an unknown one.
  func notificationHistory(
    of recipient: String, _ question: HistoryQuestion
  ) async throws(ServiceUnavailable) -> NotificationHistory?

  /// Begins to tell a signal of what goes out to a recipient, for as long as the watch is kept.
  ///
  /// - Parameter start: the place to go on from, as a stream has told it; nil for now.
  func watch(
    _ recipient: String, from start: String?, telling signal: StreamSignal
  ) async throws(ServiceUnavailable) -> WatchAnswer

  /// What went out to the recipient of a watch behind what was read before, on some channels; nil
  /// if it is more than a stream makes up for.
  func page(
    of watch: Watch, _ backlog: Backlog, on channels: ChannelSet
  ) async throws(ServiceUnavailable) -> StreamPage?

  /// Marks as read, or dismisses; nil for an unknown recipient.
  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt?

  /// A page of everyone there is, by name.
  func recipients(
    _ question: RecipientQuestion
  ) async throws(ServiceUnavailable) -> RecipientPage

  /// A page of the notifications of all people, those that did not go out among them.
  func feed(_ question: FeedQuestion) async throws(ServiceUnavailable) -> FeedPage

  func deadLetters(
    _ question: DeadLetterQuestion
  ) async throws(ServiceUnavailable) -> DeadLetterPage

  /// A dead letter by its id; nil if there is none.
  func deadLetter(_ letter: String) async throws(ServiceUnavailable) -> DeadLetter?

  /// How many dead letters there are of each sort, as far as one question looks.
  func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter
  ) async throws(ServiceUnavailable) -> DeadLetterGroups

  /// Sends dead letters again, or throws them away; nil if the one that is meant is not there.
  func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt?

  /// Hands nothing to a sink any more, or goes on; what is for it waits meanwhile. A restart
  /// changes nothing of it.
  ///
  /// - Returns: whether there is such a sink.
  func setPaused(_ isPaused: Bool, sink: String) async throws(ServiceUnavailable) -> Bool

  /// Hands one delivery to one sink, beside all that waits for it, and says what it answers: also
  /// while it is paused or takes nothing. Nothing of it is recorded or goes elsewhere.
  func trySink(_ order: SinkTestOrder) async throws(ServiceUnavailable) -> SinkTestReceipt

  /// Sends a test (rule D5); nil for an unknown recipient.
  ///
  /// - Parameter observer: called with each step that comes after the answer, until the last or
  ///   until it is forgotten.
  func sendTest(
    _ recipient: String, _ order: TestOrder, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt?

  /// Watches a test no longer.
  func forgetTest(_ notification: String)

  /// What is old enough to be removed (rule H7), as far as one question looks.
  func prunable(
    _ question: PruningQuestion
  ) async throws(ServiceUnavailable) -> PruningForecast

  func status() async throws(ServiceUnavailable) -> ServiceStatus

  /// The nodes that work on the store, and who owns what; nil where it is one process's.
  func fleet() async throws(ServiceUnavailable) -> FleetOverview?

  /// Has a node of the fleet give everything away, or keep what it has; nil without a fleet.
  ///
  /// - Parameter node: its name, or the number of its start.
  func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision?

  /// Tells a signal whenever the status may be another, for as long as the watch is kept; nil where
  /// nobody can tell.
  func watchStatus(telling signal: StreamSignal) -> ViewWatch?

  /// What was done of late.
  func activity(_ question: ActivityQuestion) async throws(ServiceUnavailable) -> Activity

  /// What people's next days would bring by another catalog, compared with those that are planned.
  ///
  /// - Parameter planner: with that catalog.
  func trial(
    of planner: Planner, days: Int
  ) async throws(ServiceUnavailable) -> CatalogTrial

  /// What of people's held occurrences another catalog ends.
  ///
  /// - Parameter planner: with that catalog.
  func ended(by planner: Planner) async throws(ServiceUnavailable) -> [EndedReminder]

  /// How much is going to go out.
  func forecast(_ question: ForecastQuestion) async throws(ServiceUnavailable) -> Forecast

  func metrics() async throws(ServiceUnavailable) -> ServiceMetrics

  /// What changes of preferences have told (rule M1); nil for an unknown recipient.
  func analytics(_ query: AnalyticsQuery) async throws(ServiceUnavailable) -> AnalyticsPage?

  /// A page of the events and notifications of a recipient (rule H4); nil for an unknown one.
  func export(
    _ recipient: String, _ place: ExportPage.Place
  ) async throws(ServiceUnavailable) -> ExportPage?

  /// How notifications were used on some of the recipients' dates, both ends in it (rule M2).
  func usage(
    from first: LocalDate, through last: LocalDate
  ) async throws(ServiceUnavailable) -> UsageTable

  /// Works something out that may take long, where it holds up nobody who waits for something
  /// else.
  func work<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value

  /// The same for what may take seconds, such as a catalog that was sent. A few such jobs wait, and
  /// further ones are refused as `busy`.
  func heavyWork<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value

  /// A copy of everything as it is on disk now.
  func backup() async throws(ServiceUnavailable) -> any StoreBackup
}

extension ReminderService {
  /// Nothing, where no recipient is known.
  package func ended(by planner: Planner) async throws(ServiceUnavailable) -> [EndedReminder] { [] }

  /// Nothing, where nobody is known.
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

/// Why the service cannot answer now, for the person who reads it.
package struct ServiceUnavailable: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    case stopping
    case storageFull
    /// Another program has locked the store.
    case storeLocked
    /// The store makes no copy of itself.
    case noBackup
    /// What was asked has failed, and would again.
    case failed
    case overloaded
    /// Others are having something done that takes long; the client has to wait for its turn.
    case busy
    /// The clock is far behind what was recorded before.
    case clockBehind
    /// It is another node's to answer, or will be.
    case elsewhere
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// What is known of the tokens that let people in (rule H1).
package protocol TokenService: Sendable {
  /// The token of an identifier, as it is now.
  func token(_ identifier: String) -> TokenRecord?

  /// Notes that a token lets its bearer in, which is written when there is an occasion.
  func noteUse(of identifier: String, at now: Instant)

  /// Every token, the oldest first.
  var tokens: [TokenRecord] { get }

  /// Adds a token; answers when it is on disk.
  func add(_ token: TokenRecord) async throws(ServiceUnavailable)

  /// Ends a token; answers when that is on disk, and from then on it lets nobody in. One that was
  /// revoked before stays as it is.
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
