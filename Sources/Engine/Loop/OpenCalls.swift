import Outbox
import Synchronization
import Systemd

/// The batches that a sink was handed and has not come back from, answered for or not.
///
/// A sink that hangs keeps what it has: the lane's thread if it blocks, else none, and its batch.
/// So there are only so many, and the watchdog is told as long as there is one.
final class OpenCalls: Sendable {
  static let countMax = 4

  private struct Counts {
    /// Those that the lane waits for, or has given up.
    var whole = 0
    /// Those of which stragglers are left. The sink has room for only so many.
    var parted = 0
  }

  private let counts = Mutex(Counts())
  private let progress: ProgressHandle

  init(_ progress: ProgressHandle) {
    self.progress = progress
  }

  /// Whether there may be one more.
  func begin() -> Bool {
    counts.withLock { counts in
      guard counts.whole < Self.countMax else { return false }
      counts.whole += 1
      progress.expect(at: .now)
      return true
    }
  }

  /// Of one that was whole, only stragglers are left.
  func part() {
    counts.withLock { counts in
      counts.whole -= 1
      counts.parted += 1
    }
  }

  func end(isParted: Bool = false) {
    counts.withLock { counts in
      if isParted { counts.parted -= 1 } else { counts.whole -= 1 }
      if counts.whole + counts.parted == 0 { progress.idle(until: nil) }
    }
  }
}

/// Lets one go ahead, and the next when that one has ended.
final class OneAtATime: Sendable {
  private let isTaken = Mutex(false)

  /// Whether nobody else is at it.
  func begin() -> Bool {
    isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  func end() { isTaken.withLock { $0 = false } }
}

/// An answer that somebody waits for, given exactly once (rule S7): the first counts, and should
/// whoever was to answer let it go without a word, it says so itself.
final class OpenAnswer<Value: Sendable>: Sendable {
  private let taker: Mutex<Answer<Value>?>

  init(_ taker: @escaping Answer<Value>) {
    self.taker = Mutex(taker)
  }

  deinit {
    give(.failure(ServiceUnavailable(.stopping, "the service has stopped; try again soon")))
  }

  func give(_ result: Result<Value, ServiceUnavailable>) {
    let taker = taker.withLock { $0.take() }
    taker?(result)
  }
}

/// Passes on the first answer to one batch; what comes later is for nobody.
final class FirstAnswer: Sendable {
  typealias Result = Swift.Result<[SinkAnswer], SinkOutage>

  private struct State {
    var isGiven = false
    var timer: DeadlineTimer?
  }

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
    timer?.cancel()
    if isFirst { pass(result) }
  }

  /// Answers by itself if nobody has for so long.
  func expire(after milliseconds: Int, with result: @escaping @Sendable () -> Result) {
    let timer = DeadlineTimer(after: milliseconds) { [self] in give(result()) }
    let isNeeded = state.withLock { state in
      guard !state.isGiven else { return false }
      state.timer = timer
      return true
    }
    if !isNeeded { timer.cancel() }
  }
}

/// Lets many wait for the one time at which the engine's thread ends.
final class Ending: Sendable {
  private enum State {
    case running([@Sendable (StoreFailure?) -> Void])
    case ended(StoreFailure?)
  }

  private let state = Mutex(State.running([]))

  func end(_ reason: StoreFailure?) {
    let waiting: [@Sendable (StoreFailure?) -> Void] = state.withLock { state in
      guard case .running(let waiting) = state else { return [] }
      state = .ended(reason)
      return waiting
    }
    for body in waiting { body(reason) }
  }

  /// Calls back when it has ended, once.
  func then(_ body: @escaping @Sendable (StoreFailure?) -> Void) {
    let ended: StoreFailure?? = state.withLock { state in
      switch state {
      case .ended(let reason): return .some(reason)
      case .running(let waiting):
        state = .running(waiting + [body])
        return nil
      }
    }
    if let ended { body(ended) }
  }

  func reason() async -> StoreFailure? {
    await withCheckedContinuation { continuation in
      then { continuation.resume(returning: $0) }
    }
  }
}
