import Outbox
import Synchronization
import Systemd

/// Counts a sink's batches for which the call of the sink has not returned, whether or not they are
/// answered.
///
/// A sink that hangs keeps its batch. If the call blocks, the sink also keeps the lane's thread. So
/// the number of batches is limited, and the watchdog expects progress while a batch has not
/// returned.
final class InFlightBatches: Sendable {
  /// The maximum number of batches that have not returned. A batch of which only stragglers are
  /// left does not count.
  static let countMax = 4

  private struct Counts {
    /// Batches that the lane waits for or has given up.
    var withOccupiedLane = 0
    /// Batches of which only stragglers are left: deliveries whose answers take longer than the
    /// others. The sink itself limits their number.
    var withFreedLane = 0
  }

  private let counts = Mutex(Counts())
  private let progress: ProgressHandle

  init(_ progress: ProgressHandle) {
    self.progress = progress
  }

  /// Counts another batch if the limit allows it, and returns whether it does.
  func begin() -> Bool {
    counts.withLock { counts in
      guard counts.withOccupiedLane < Self.countMax else { return false }
      counts.withOccupiedLane += 1
      progress.expect(at: .now)
      return true
    }
  }

  /// Counts a batch from now on as one that the lane does not wait for. Called when only stragglers
  /// of the batch are left.
  func freeLane() {
    counts.withLock { counts in
      counts.withOccupiedLane -= 1
      counts.withFreedLane += 1
    }
  }

  /// Counts a batch as returned.
  ///
  /// - Parameter hasFreedLane: whether `freeLane` was called for the batch.
  func end(hasFreedLane: Bool = false) {
    counts.withLock { counts in
      if hasFreedLane { counts.withFreedLane -= 1 } else { counts.withOccupiedLane -= 1 }
      if counts.withOccupiedLane + counts.withFreedLane == 0 { progress.idle(until: nil) }
    }
  }
}

/// A lock that does not wait: `begin` returns false while the lock is held.
final class TryLock: Sendable {
  private let isHeld = Mutex(false)

  /// Acquires the lock if it is free, and returns whether it was.
  func begin() -> Bool {
    isHeld.withLock { isHeld in
      defer { isHeld = true }
      return !isHeld
    }
  }

  /// Releases the lock.
  func end() { isHeld.withLock { $0 = false } }
}

/// Gives a waiting caller exactly one answer (rule S7) and ignores later ones. If the object is
/// released without an answer, the caller receives `ServiceUnavailable`.
final class OpenAnswer<Value: Sendable>: Sendable {
  private let receiver: Mutex<Answer<Value>?>

  init(_ receiver: @escaping Answer<Value>) {
    self.receiver = Mutex(receiver)
  }

  deinit {
    give(.failure(ServiceUnavailable(.stopping, "the service has stopped; try again soon")))
  }

  func give(_ result: Result<Value, ServiceUnavailable>) {
    let receiver = receiver.withLock { $0.take() }
    receiver?(result)
  }
}

/// Passes on the first answer to a batch and ignores later ones.
final class FirstAnswer: Sendable {
  typealias Result = Swift.Result<[SinkAnswer], SinkOutage>

  private struct State {
    var isGiven = false
    var timer: DeadlineTimer?
  }

  private let state = Mutex(State())
  /// Receives the first answer.
  private let pass: @Sendable (Result) -> Void

  init(pass: @escaping @Sendable (Result) -> Void) {
    self.pass = pass
  }

  /// Whether an answer was given.
  var isGiven: Bool { state.withLock { $0.isGiven } }

  func give(_ result: Result) {
    let (isFirst, timer) = state.withLock { state in
      defer { state = State(isGiven: true) }
      return (!state.isGiven, state.timer)
    }
    timer?.cancel()
    if isFirst { pass(result) }
  }

  /// Answers with `result` if there is no answer after the given time.
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

/// Reports the end of the engine's thread to any number of waiting functions.
final class ThreadEnd: Sendable {
  private enum State {
    case running([@Sendable (StoreFailure?) -> Void])
    case ended(StoreFailure?)
  }

  private let state = Mutex(State.running([]))

  /// Reports the end.
  ///
  /// - Parameter reason: the failure that ended the thread; nil after a stop.
  func end(_ reason: StoreFailure?) {
    let callbacks: [@Sendable (StoreFailure?) -> Void] = state.withLock { state in
      guard case .running(let callbacks) = state else { return [] }
      state = .ended(reason)
      return callbacks
    }
    for body in callbacks { body(reason) }
  }

  /// Calls `body` once: when the thread ends, or at once if it has ended.
  func then(_ body: @escaping @Sendable (StoreFailure?) -> Void) {
    let result: StoreFailure?? = state.withLock { state in
      switch state {
      case .ended(let reason): return .some(reason)
      case .running(let callbacks):
        state = .running(callbacks + [body])
        return nil
      }
    }
    if let result { body(result) }
  }

  /// Waits for the end, and returns the failure; nil after a stop.
  func reason() async -> StoreFailure? {
    await withCheckedContinuation { continuation in
      then { continuation.resume(returning: $0) }
    }
  }
}
