import Access
import CivilTime
import Outbox
package import Reminders
package import Store
import Synchronization
package import Systemd

/// The running service: one thread that owns the timer wheel and the store, and lanes (queues) that
/// call the sinks.
package final class Engine: Sendable {
  let requestQueue: RequestQueue
  /// The trusted time of the service.
  package let clock: TrustedClock
  private let currentPlanner: CurrentPlanner
  let tokenTable: TokenTable
  /// The end of the engine's thread, for functions that wait for it.
  private let ending: ThreadEnd
  /// Until when this process certainly owns its shards; nil without a fleet.
  let trust: TrustDeadline?
  let snapshots: any StoreSnapshots
  /// Calls the sinks, and writes the engine's reports.
  let shell: EngineShell
  /// Answers queries beside the engine's thread.
  let questions: Questions
  /// Separate threads for each burden: none delays the others.
  private let readers: Readers
  /// How many queries about recipients are answered at a time.
  static let readersMax = 3
  /// The loop before `begin`, which passes it to the engine's thread; nil after that.
  private let unstartedLoop: Mutex<EngineLoop?>

  /// Opens the store, loads the timer wheel and starts the thread.
  ///
  /// - Throws: the error of the store or the system; nothing runs then.
  package convenience init(_ configuration: Configuration) throws {
    try self.init(holding: configuration)
    try begin()
  }

  /// Opens the store and loads the timer wheel. Until `begin` no event is ingested and nothing is
  /// sent.
  ///
  /// - Throws: the error of the store or the system.
  package init(holding configuration: Configuration) throws {
    requestQueue = try RequestQueue(progress: configuration.heartbeats.register("engine", at: .now))
    currentPlanner = CurrentPlanner(configuration.planner)
    tokenTable = configuration.tokens
    ending = ThreadEnd()
    trust = configuration.trust
    let system = try SystemHost(
      requestFlag: requestQueue.flag, zoneDirectory: configuration.planner.zones.directory)
    let host: any EngineHost =
      configuration.serverClock.map { ServerClockHost(system, by: $0) } ?? system
    let store = try configuration.retryWhileUnavailable { try configuration.store() }
    snapshots = store.readers
    shell = EngineShell(
      sinks: configuration.sinks, limits: configuration.limits, requestQueue: requestQueue,
      journal: configuration.journal, heartbeats: configuration.heartbeats, trust: trust)
    let (requestQueue, shell, tokenTable) = (requestQueue, shell, tokenTable)
    let currentPlanner = currentPlanner
    let loop = try configuration.retryWhileUnavailable {
      try EngineLoop(
        configuration, store: store, requestQueue: requestQueue, host: host, actions: shell,
        tokens: tokenTable, current: currentPlanner)
    }
    clock = loop.clock
    // The time that the start waited does not count against the watchdog's limit.
    requestQueue.progress.note(at: .now)
    try loop.startCleaning()
    try loop.startDecider()
    var questions = loop.questions
    questions.process = ProcessView(configuration)
    self.questions = questions
    readers = Readers(
      people: try QuestionThreads(.questions, count: Self.readersMax),
      service: try QuestionThreads(.status, count: 1),
      trials: try QuestionThreads(.trials, count: 1),
      calendars: try QuestionThreads(.calendars, count: 1))
    loop.startAudit = Self.audit(by: self.questions, on: readers.trials, configuration, clock)
    unstartedLoop = Mutex(loop)
  }

  /// Returns a function that runs an audit on a thread for trials.
  private static func audit(
    by questions: Questions, on threads: QuestionThreads, _ configuration: Configuration,
    _ clock: TrustedClock
  ) -> @Sendable (AuditQuery) -> Void {
    let audit = NightlyAudit(questions: questions, journal: configuration.journal)
    return { query in
      threads.add(
        QuestionThreads.Job(
          run: { audit.run(query, now: clock.now()) }, refuse: { audit.reportFailure("\($0)") }))
    }
  }

  /// Starts the engine's thread if it has not been started.
  package func begin() throws(SystemCallError) {
    guard let loop = unstartedLoop.withLock({ $0.take() }) else { return }
    try OperatingSystemThread(name: "engine") { [ending, readers, questions] in
      let failure = loop.run()
      readers.close()
      questions.endWatches()
      ending.end(failure)
    }.detach()
  }

  /// Adopts another configuration; returns when all of it is current, which may be before all
  /// recipients are replanned (rules S1, T5). Sinks that the new configuration does not contain are
  /// stopped once they have answered everything in flight.
  ///
  /// - Throws: the reason why nothing has changed.
  package func adopt(_ configuration: RuntimeConfiguration) async throws(ServiceUnavailable) {
    let result = await withCheckedContinuation { continuation in
      adopt(configuration) { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  func setCurrentPlanner(_ planner: Planner) { currentPlanner.value = planner }

  /// Stops the sinks. Call it when nothing more is dispatched to these sinks.
  package func stopSinks() async {
    await shell.stop()
  }

  /// Processes what is due, closes the store and ends the thread. Deliveries that were not
  /// dispatched stay in the store.
  package func stop() async {
    _ = try? await ask { .stop($0) }
    _ = await ending.reason()
  }

  /// Calls `body` when the thread has ended, with the result of `end`.
  func whenEnded(_ body: @escaping @Sendable (StoreFailure?) -> Void) { ending.then(body) }

  /// Waits until the thread has ended. Returns nil if `stop` ended it, or the failure that ended
  /// it.
  package func end() async -> StoreFailure? {
    await ending.reason()
  }

  /// Runs a computation on one of the threads and returns its result.
  private func run<Value: Sendable>(
    on threads: QuestionThreads,
    _ body: @escaping @Sendable () throws(ServiceUnavailable) -> Value
  ) async throws(ServiceUnavailable) -> Value {
    let result = await withCheckedContinuation { continuation in
      let open = OpenAnswer<Value> { continuation.resume(returning: $0) }
      threads.add(
        QuestionThreads.Job(
          run: { open.give(Result(catching: body)) }, refuse: { open.give(.failure($0)) }))
    }
    return try result.get()
  }

  /// Posts a request to the engine's thread and waits for the answer.
  func ask<Value: Sendable>(
    _ request: (@escaping Answer<Value>) -> Request
  ) async throws(ServiceUnavailable) -> Value {
    let result = await withCheckedContinuation { continuation in
      ask(request) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Posts a request to the engine's thread, which answers it; refuses the request if the queue is
  /// closed.
  func ask<Value: Sendable>(
    _ request: (@escaping Answer<Value>) -> Request, _ answer: @escaping Answer<Value>
  ) {
    let open = OpenAnswer(answer)
    guard !requestQueue.post(request { open.give($0) }) else { return }
    open.give(.failure(ServiceUnavailable(.stopping, "the service is stopping; try again soon")))
  }
}

extension Engine {
  /// The threads that answer queries, by their burden.
  private struct Readers {
    let people: QuestionThreads
    let service: QuestionThreads
    let trials: QuestionThreads
    let calendars: QuestionThreads

    subscript(burden: QueryBurden) -> QuestionThreads {
      switch burden {
      case .service: service
      case .people: people
      case .trial: trials
      case .calendar: calendars
      }
    }

    func close() {
      for threads in [people, service, trials, calendars] { threads.close() }
    }
  }
}

extension Engine: ReminderService {
  package var planner: Planner { currentPlanner.value }

  package func answer<Query: EngineQuery>(
    _ query: Query
  ) async throws(ServiceUnavailable) -> Query.Value {
    try await run(on: readers[Query.burden]) { [questions, clock] () throws(ServiceUnavailable) in
      try questions.answer(query, now: clock.now())
    }
  }

  package func work<Value: Sendable>(
    _ burden: QueryBurden, _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    try await run(on: readers[burden], body)
  }

  package func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    try await ask { .submit(events, $0) }
  }

  package func submit(_ events: [Event], _ answer: @escaping Answer<[Receipt]>) {
    ask({ .submit(events, $0) }, answer)
  }

  package func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    try await ask { .write(write, $0) }
  }

  package func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? {
    try await ask { .inboxWrite(recipient, write, $0) }
  }

  package func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt? {
    try await ask { .deadLetterWrite(write, $0) }
  }

  package func setPaused(
    _ isPaused: Bool, sink: String
  ) async throws(ServiceUnavailable) -> Bool {
    try await ask { .pauseSink(sink, isPaused, $0) }
  }

  package func trySink(
    _ parameters: SinkTestParameters
  ) async throws(ServiceUnavailable) -> SinkTestReceipt {
    var person: Recipient?
    if let name = parameters.recipient { person = try await answer(RecipientQuery(name)) }
    switch questions.published.view.test(parameters, for: person, now: clock.now()) {
    case .refuse(let receipt): return receipt
    case .dispatch(let delivery):
      return await shell.test(parameters.sink, with: delivery, timeout: parameters.timeout)
    }
  }

  package func sendTest(
    _ recipient: String, _ parameters: TestParameters, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? {
    try await ask { .test(recipient, parameters, observer, $0) }
  }

  package func forgetTest(_ notification: String) {
    requestQueue.post(.forgetTest(notification))
  }

  package func setDraining(
    _ isDraining: Bool, node: String
  ) async throws(ServiceUnavailable) -> DrainDecision? {
    try await ask { .drain(node: node, isDraining, $0) }
  }

  package func watchStatus(signal: StreamSignal) -> ViewWatch? {
    questions.watchStatus(signal: signal)
  }

  package func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    let snapshots = snapshots
    // A backup takes long, and must not block the threads of connections.
    let result: Result<any StoreBackup, any Error> = await withCheckedContinuation { continuation in
      do {
        try OperatingSystemThread(name: "backup") {
          continuation.resume(returning: Result { try snapshots.backup() })
        }.detach()
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    do {
      return try result.get()
    } catch {
      throw ServiceUnavailable(
        Self.kind(ofFailedBackup: error as? StoreError), "no backup could be made: \(error)")
    }
  }

  private static func kind(ofFailedBackup error: StoreError?) -> ServiceUnavailable.Kind {
    switch error {
    case .full: .storageFull
    case .locked: .storeLocked
    case .noBackup: .noBackup
    default: .failed
    }
  }
}

/// Why the engine cannot continue: the store has failed.
package struct StoreFailure: Error, Sendable, CustomStringConvertible {
  /// Whether the data on disk is damaged, so that a restart would not help.
  package let isDamage: Bool
  package let description: String
}
