import Delivery
import Dispatch
import Synchronization

/// Passes on the first answer to one batch; what comes later is for nobody.
final class FirstAnswer: Sendable {
  typealias Result = Swift.Result<[SinkAnswer], SinkOutage>

  private struct State {
    var isGiven = false
    var timer: Timer?
  }

  /// Its own methods may be called from anywhere; only the type does not say so.
  private struct Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  /// A queue of its own: the first job on a shared one has libdispatch look after its threads each
  /// second for good, and an idle service would not sleep any more.
  private static let queue = DispatchQueue(label: "deadlines")

  private let state = Mutex(State())
  private let pass: @Sendable (Result) -> Void

  init(pass: @escaping @Sendable (Result) -> Void) {
    self.pass = pass
  }

  /// Whether somebody has answered.
  var isGiven: Bool { state.withLock { $0.isGiven } }

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
    let timer = Timer(source: DispatchSource.makeTimerSource(queue: Self.queue))
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
