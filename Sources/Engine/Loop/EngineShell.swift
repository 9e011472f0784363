import CivilTime
package import Outbox
package import Reminders
package import Store
import Synchronization
package import Systemd

/// Carries out the engine's decisions: it dispatches batches to sinks, and reports to the journal.
package final class EngineShell: EngineActions {
  /// A lane, which is the queue of one sink, with that sink and the executor that calls it.
  private struct LaneShell {
    let sink: any Sink
    /// Whether the lane is for analytics events. The sink has another lane for deliveries, so
    /// closing the lane of analytics does not stop the sink.
    let isForAnalytics: Bool
    let limits: SinkLimits
    let executor: LaneExecutor
    /// The progress of the calls to the sink. The watchdog expects it while a batch is in flight.
    let progress: ProgressHandle
    let inFlightBatches: InFlightBatches
    /// Locked while a test of the sink runs outside the lane.
    let tests = TryLock()
    /// Whether the sink is no longer current, so that no later engine uses it.
    var isRetired = false

    /// - Parameter heartbeats: registers the lane, from which no progress is expected while it has
    ///   no batch.
    init(
      _ sink: any Sink, _ limits: SinkLimits, _ heartbeats: Heartbeats, isForAnalytics: Bool = false
    ) {
      self.sink = sink
      self.limits = limits
      self.isForAnalytics = isForAnalytics
      let name = isForAnalytics ? "\(sink.name) analytics" : sink.name
      executor = LaneExecutor(sink: name)
      progress = heartbeats.register(
        name, allowance: heartbeats.allowance + (sink.timeout ?? heartbeats.allowance),
        isVital: sink.timeout != nil, at: .now)
      progress.idle(until: nil)
      inFlightBatches = InFlightBatches(progress)
    }
  }

  private struct State {
    /// The lanes by number.
    var lanes: [Int: LaneShell] = [:]
    /// The tasks that stop sinks, by the numbers of their lanes.
    var stopTasks: [Int: Task<Void, Never>] = [:]
    /// The lanes whose sinks `detachSinks` has left to the next engine; nil before that.
    var detachedLanes: [Int: LaneShell]?
  }

  private let state = Mutex(State())
  private let requestQueue: RequestQueue
  private let journal: Journal
  private let heartbeats: Heartbeats
  /// Until when anything may be dispatched; nil for no limit.
  private let trust: TrustDeadline?

  /// - Parameters:
  ///   - limits: the limits of sinks by name.
  ///   - trust: until when anything may be dispatched; nil for no limit.
  package init(
    sinks: [any Sink], limits: [String: SinkLimits] = [:], requestQueue: RequestQueue,
    journal: Journal,
    heartbeats: Heartbeats = Heartbeats(), trust: TrustDeadline? = nil
  ) {
    self.trust = trust
    self.requestQueue = requestQueue
    self.journal = journal
    self.heartbeats = heartbeats
    for (number, sink) in sinks.enumerated() {
      open(lane: number, for: sink, limits[sink.name] ?? SinkLimits())
    }
  }

  // MARK: - Lanes

  package func open(lane number: Int, for sink: any Sink, _ limits: SinkLimits) {
    let lane = LaneShell(sink, limits, heartbeats)
    add(lane, number)
  }

  private func add(_ lane: LaneShell, _ number: Int) {
    let isLate = state.withLock { state in
      if state.detachedLanes == nil { state.lanes[number] = lane }
      return state.detachedLanes != nil
    }
    if isLate { lane.progress.retire() }
  }

  package func openAnalytics(
    lane number: Int, for sink: any AnalyticsSink, _ limits: SinkLimits
  ) {
    var limits = limits
    // Analytics events are sent one after the other.
    limits.concurrency = 1
    let lane = LaneShell(sink, limits, heartbeats, isForAnalytics: true)
    add(lane, number)
  }

  package func retire(lane number: Int) {
    let isDetached = state.withLock { state in
      state.lanes[number]?.isRetired = true
      return state.detachedLanes != nil
    }
    if isDetached { close(lane: number) }
  }

  /// Closes a lane, and stops its sink unless the lane is for analytics events. The sink gets time
  /// to finish; only `stop` waits for that.
  package func close(lane number: Int) {
    state.withLock { state in
      let lane =
        state.lanes.removeValue(forKey: number)
        ?? state.detachedLanes?.removeValue(forKey: number)
      guard let lane else { return }
      lane.progress.retire()
      if lane.isForAnalytics { return }
      // The lane's own executor may be blocked by the sink. The shared pool is not used, because
      // its threads, once started, wake periodically.
      let executor = LaneExecutor(sink: lane.sink.name)
      state.stopTasks[number] = Task(executorPreference: executor) { [self] in
        await lane.sink.stop()
        self.state.withLock { $0.stopTasks[number] = nil }
      }
    }
  }

  /// Stops all sinks, in parallel because each may take long; returns when they have stopped.
  package func stop() async {
    let stopTasks = state.withLock { state in
      let sinks = state.lanes.values.filter { !$0.isForAnalytics }.map(\.sink)
      return Array(state.stopTasks.values) + sinks.map { sink in Task { await sink.stop() } }
    }
    for task in stopTasks { await task.value }
  }

  /// Leaves the sinks to the next engine and dispatches nothing more. A retired sink is stopped,
  /// even if it is retired after this call.
  func detachSinks() {
    let lanes = state.withLock { state in
      state.detachedLanes = state.lanes
      state.lanes = [:]
      return state.detachedLanes ?? [:]
    }
    for (number, lane) in lanes {
      lane.progress.retire()
      if lane.isRetired { close(lane: number) }
    }
  }

  package func dispatch(_ deliveries: [Reminders.Delivery], toLane number: Int) {
    guard let lane = state.withLock({ $0.lanes[number] }) else { return }
    let batchDescription = "\(deliveries.count) deliveries"
    guard let sink = lane.sink as? any ReportingSink else {
      let receiver = ResultReceiver(
        answer: { [requestQueue] in _ = requestQueue.post(.sinkAnswered(lane: number, $0)) },
        recordReturn: { lane.inFlightBatches.end() })
      return dispatch(batchDescription, deliveries.count, to: lane, receiver) {
        await Self.result { () async throws(SinkOutage) in try await lane.sink.deliver(deliveries) }
      }
    }
    let progress = BatchProgress(count: deliveries.count)
    let watch = AnswerWatch(
      progress, of: deliveries.map(\.notification), lane: number,
      inFlightBatches: lane.inFlightBatches, requestQueue: requestQueue)
    // Stragglers, the unanswered deliveries of earlier batches, may occupy the sink's whole
    // concurrency for the length of one attempt.
    let stragglers = sink is any OverlappingSink ? lane.limits.concurrency ?? 1 : 0
    let count = deliveries.count + stragglers
    let receiver = ResultReceiver(
      answer: watch.answer, recordReturn: watch.recordReturn,
      abandonedAnswers: progress.abandonedAnswers)
    dispatch(batchDescription, count, to: lane, receiver) {
      watch.begin()
      return await Self.result { () async throws(SinkOutage) in
        try await sink.deliver(deliveries, progress)
      }
    }
  }

  package func dispatch(_ events: [AnalyticsItem], toLane number: Int) {
    guard let lane = state.withLock({ $0.lanes[number] }),
      let sink = lane.sink as? any AnalyticsSink
    else { return }
    let receiver = ResultReceiver(
      answer: { [requestQueue] in _ = requestQueue.post(.analyticsAnswered(lane: number, $0)) },
      recordReturn: { lane.inFlightBatches.end() })
    dispatch("\(events.count) analytics events", events.count, to: lane, receiver) {
      await Self.result { () async throws(SinkOutage) in try await sink.deliver(events) }
    }
  }

  /// The receiver of a sink's results.
  private struct ResultReceiver {
    /// Called with the sink's answers to the whole batch, or with its outage.
    let answer: @Sendable (FirstAnswer.Result) -> Void
    /// Called when the call to the sink has returned, with answers or not.
    let recordReturn: @Sendable () -> Void
    /// Returns the answers to record when the engine stops waiting for the given reason. Returns
    /// nil if this end of the wait counts as an outage of the sink.
    var abandonedAnswers: @Sendable (String) -> [SinkAnswer]? = { _ in nil }
  }

  /// Calls a sink on the thread of its lane, unless too many of its batches are in flight.
  ///
  /// - Parameters:
  ///   - batchDescription: a description of the batch, for messages.
  ///   - count: the number of deliveries that the timeout allows for.
  ///   - work: calls the sink.
  private func dispatch(
    _ batchDescription: String, _ count: Int, to lane: LaneShell, _ receiver: ResultReceiver,
    _ work: @escaping @Sendable () async -> FirstAnswer.Result
  ) {
    let answer = FirstAnswer { [reporter] result in
      if case .failure(let outage) = result { reporter.report(outage: outage, of: lane.sink.name) }
      receiver.answer(result)
    }
    guard lane.inFlightBatches.begin() else { return answer.give(.failure(Self.tooManyBatches)) }
    let task = Task(executorPreference: lane.executor) {
      // If the wait for the batch ended while this task was queued, the batch's next attempt is
      // already scheduled.
      guard !answer.isGiven else { return receiver.recordReturn() }
      let result = await self.runWhileTrusted(work)
      receiver.recordReturn()
      answer.give(result)
    }
    if let trust { TrustWatch(trust, of: answer, abort: task.cancel).begin() }
    if let timeout = lane.limits.timeout(for: count) {
      answer.expire(after: Int(timeout.milliseconds)) {
        let reason = "it did not answer for \(batchDescription) in \(timeout)"
        let answers = receiver.abandonedAnswers(reason)
        task.cancel()
        return answers.map { .success($0) } ?? .failure(SinkOutage(reason))
      }
    }
  }

  /// Sends one delivery to a sink outside its lane, on the lane's thread. Each sink has at most one
  /// test at a time, so that a sink that hangs blocks no others.
  func test(
    _ sink: String, with delivery: Reminders.Delivery, timeout: TimeSpan
  ) async -> SinkTestReceipt {
    // A sink that is being replaced and its successor have the same name.
    let lanes = state.withLock { state in
      state.lanes.filter { $0.value.sink.name == sink && !$0.value.isForAnalytics }
    }
    guard let lane = lanes.max(by: { $0.key < $1.key })?.value else { return .unknownSink }
    guard lane.tests.begin() else { return .busy }
    let result = await withCheckedContinuation { continuation in
      let answer = FirstAnswer { continuation.resume(returning: $0) }
      let task = Task(executorPreference: lane.executor) {
        defer { lane.tests.end() }
        guard !answer.isGiven else { return }
        answer.give(
          await Self.result { () async throws(SinkOutage) in
            try await lane.sink.deliver([delivery])
          })
      }
      answer.expire(after: Int(timeout.milliseconds)) {
        task.cancel()
        return .failure(SinkOutage("it did not answer in \(timeout)"))
      }
    }
    return .done(SinkTestResult(delivery, result))
  }

  private static let tooManyBatches = SinkOutage(
    "\(InFlightBatches.countMax) batches have not returned; nothing is dispatched until one does"
  )

  /// Returns the sink's result, or an outage if this node may not dispatch at present.
  private func runWhileTrusted(
    _ work: @Sendable () async -> FirstAnswer.Result
  ) async -> FirstAnswer.Result {
    guard trust?.holds ?? true else {
      return .failure(SinkOutage(ServiceUnavailable.untrusted.description))
    }
    return await work()
  }

  /// Returns the answers of a call to a sink, or the outage that it throws.
  private static func result(
    of work: () async throws(SinkOutage) -> [SinkAnswer]
  ) async -> FirstAnswer.Result {
    do throws(SinkOutage) {
      return .success(try await work())
    } catch {
      return .failure(error)
    }
  }

  // MARK: - Reports

  private var reporter: NoteReporter { NoteReporter(journal: journal) }

  package func report(_ notes: OccurrenceNotes) {
    reporter.report(notes)
  }

  package func report(_ update: ZoneUpdate) {
    journal.send(.zoneDatabaseChanged, update.description)
  }

  package func report(_ note: DeliveryNote) {
    reporter.report(note)
  }

  package func report(_ refused: [FinishedSubmission]) {
    reporter.report(refused)
  }

  package func report(_ ended: [EndedReminder]) { reporter.report(ended) }

  package func report(_ recipients: [SetAsideRecipient]) {
    for recipient in recipients { reporter.report(recipient) }
  }
}
