import CivilTime
package import Delivery
import Dispatch
package import Reminders
import Synchronization
package import Systemd

/// Carries out what the engine decides: batches to sinks, notes to the journal.
package final class EngineShell: EngineActions {
  private struct LaneShell {
    let sink: any Sink
    let limits: SinkLimits
    let executor: LaneExecutor
    let progress: ProgressHandle

    /// - Parameter ledger: keeps a row for the lane; it owes nothing while its sink has nothing.
    init(_ sink: any Sink, _ limits: SinkLimits, _ ledger: ProgressLedger) {
      self.sink = sink
      self.limits = limits
      executor = LaneExecutor(sink: sink.name)
      progress = ledger.register(
        sink.name, allowance: ledger.allowance + (sink.patience ?? ledger.allowance),
        isVital: sink.patience != nil, at: .now)
      progress.idle(until: nil)
    }
  }

  private let lanes: [LaneShell]
  private let inbox: Inbox
  private let reporter: NoteReporter

  /// - Parameter limits: by the sinks' names.
  package init(
    sinks: [any Sink], limits: [String: SinkLimits] = [:], inbox: Inbox, journal: Journal,
    ledger: ProgressLedger = ProgressLedger()
  ) {
    lanes = sinks.map { LaneShell($0, limits[$0.name] ?? SinkLimits(), ledger) }
    self.inbox = inbox
    reporter = NoteReporter(
      journal: journal, sinks: sinks.map(\.name).joined(separator: ","))
  }

  package func hand(_ deliveries: [Reminders.Delivery], toLane index: Int) {
    let lane = lanes[index]
    lane.progress.expect(at: .now)
    let answer = FirstAnswer { [inbox, reporter] result in
      if case .failure(let outage) = result { reporter.report(outage: outage, of: lane.sink.name) }
      _ = inbox.post(.sinkAnswered(lane: index, result))
    }
    let task = Task(executorPreference: lane.executor) {
      do throws(SinkOutage) {
        answer.give(.success(try await lane.sink.deliver(deliveries)))
      } catch {
        answer.give(.failure(error))
      }
      lane.progress.idle(until: nil)
    }
    if let patience = lane.limits.patience(for: deliveries.count) {
      answer.expire(after: .milliseconds(Int(patience.milliseconds))) {
        task.cancel()
        return SinkOutage("it did not answer for \(deliveries.count) deliveries in \(patience)")
      }
    }
  }

  package func report(_ notes: Notes) {
    reporter.report(notes)
  }

  package func report(_ update: ZoneUpdate) {
    reporter.journal.send(.zoneDatabaseChanged, update.description)
  }

  package func report(_ note: DeliveryNote) {
    reporter.report(note)
  }
}

/// Passes on the first answer to one batch; what comes later is for nobody.
private final class FirstAnswer: Sendable {
  typealias Result = Swift.Result<[SinkAnswer], SinkOutage>

  private struct State {
    var isGiven = false
    var timer: Timer?
  }

  /// Its own methods may be called from anywhere; only the type does not say so.
  private struct Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private let state = Mutex(State())
  private let pass: @Sendable (Result) -> Void

  init(pass: @escaping @Sendable (Result) -> Void) {
    self.pass = pass
  }

  func give(_ result: Result) {
    let (isFirst, timer) = state.withLock { state in
      defer { state = State(isGiven: true) }
      return (!state.isGiven, state.timer)
    }
    timer?.source.cancel()
    if isFirst { pass(result) }
  }

  /// Answers by itself if nobody has for so long.
  func expire(after span: DispatchTimeInterval, with outage: @escaping @Sendable () -> SinkOutage) {
    let timer = Timer(source: DispatchSource.makeTimerSource())
    timer.source.setEventHandler { [self] in give(.failure(outage())) }
    timer.source.schedule(deadline: .now() + span)
    timer.source.activate()
    let isNeeded = state.withLock { state in
      guard !state.isGiven else { return false }
      state.timer = timer
      return true
    }
    if !isNeeded { timer.source.cancel() }
  }
}
