package import Reminders
package import Store

/// The operations of the service, used by the HTTP interface.
package protocol ReminderService: Sendable {
  /// The planner that events are read with: the current catalog, zones and default zone.
  var planner: Planner { get }

  /// Answers a query. The answer contains the effects of every change acknowledged before the
  /// query.
  func answer<Query: EngineQuery>(_ query: Query) async throws(ServiceUnavailable) -> Query.Value

  /// Submits events, all in one transaction; returns when they are on disk.
  ///
  /// - Returns: a receipt for each event, in order.
  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt]

  /// Submits events for callers without a task.
  ///
  /// - Parameter answer: called once, on any thread.
  func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>)

  /// Makes a change for one recipient and returns its effects on pending occurrences (rule P5).
  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt

  /// Marks inbox items as read, or dismisses notifications; nil if the recipient is unknown.
  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt?

  /// Sends dead letters again, or discards them; nil if the given dead letter does not exist.
  func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt?

  /// Pauses or resumes a sink. Deliveries for a paused sink wait, also across restarts (rule D3).
  ///
  /// - Returns: whether there is such a sink.
  func setPaused(_ isPaused: Bool, sink: String) async throws(ServiceUnavailable) -> Bool

  /// Sends one test delivery to one sink, also while the sink is paused or fails, and returns the
  /// sink's answer. The test is not recorded and has no fallback (rule D5).
  func trySink(_ parameters: SinkTestParameters) async throws(ServiceUnavailable) -> SinkTestReceipt

  /// Sends a test notification (rule D5); nil if the recipient is unknown.
  ///
  /// - Parameter observer: called with each step after the answer, until the last one or until
  ///   `forgetTest`.
  func sendTest(
    _ recipient: String, _ parameters: TestParameters, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt?

  /// Stops observing a test.
  func forgetTest(_ notification: String)

  /// Starts or stops draining a node of the fleet; nil without a fleet.
  ///
  /// - Parameter node: the node's name, or its incarnation.
  func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision?

  /// Wakes the stream of `signal` at possible changes of the status, until the watch is released.
  /// Returns nil if changes cannot be observed.
  func watchStatus(signal: StreamSignal) -> ViewWatch?

  /// Runs a computation on the threads for its burden, where it delays no request with another
  /// one. Few trials and calendars wait; more are refused as `busy` (rules H16, H29).
  func work<Value: Sendable>(
    _ burden: QueryBurden, _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value

  /// Returns a copy of the store as it is on disk now.
  func backup() async throws(ServiceUnavailable) -> any StoreBackup
}
