import Store
import Synchronization
import Systemd

/// A thread that cleans the store's files of erased recipients (rule H4). It rests twice as long as
/// it works, so that the engine commits between its steps (rule H6).
final class FileCleaning: Sendable {
  private struct State {
    /// Whether a cleaning has begun and its result has not been taken.
    var isBusy = false
    var isClosed = false
    /// The number of erasures whose data is cleaned, or the error; nil until cleaning is done.
    var result: Result<Int, StoreError>?
  }

  /// The first and the longest pause while the log is being read, in milliseconds.
  private static let pause: (first: Int, longest: Int) = (5, 1_000)

  private let cleaner: any StoreCleaner
  private let state = Mutex(State())
  private let wakeFlag: WakeFlag
  private let whenDone: @Sendable () -> Void

  /// - Parameter whenDone: called on the thread when there is a result to take.
  init(_ cleaner: any StoreCleaner, whenDone: @escaping @Sendable () -> Void)
    throws(SystemCallError)
  {
    self.cleaner = cleaner
    self.whenDone = whenDone
    wakeFlag = try WakeFlag()
    try OperatingSystemThread(name: "cleaning") { [self] in run() }.detach()
  }

  /// Starts cleaning, unless the result of an earlier cleaning has not been taken. Recipients that
  /// were erased since that cleaning began need another call.
  func begin() {
    let isNew = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isNew { wakeFlag.raise() }
  }

  /// Removes and returns the result; nil until cleaning is done. The result is the number of
  /// erasures since the start whose data is cleaned from the files, or the error.
  func takeResult() -> Result<Int, StoreError>? {
    state.withLock { state in
      guard let result = state.result.take() else { return nil }
      state.isBusy = false
      return result
    }
  }

  /// Ends the thread after its current step.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeFlag.raise()
  }

  private func run() {
    while true {
      wakeFlag.wait()
      guard let result = clean() else { return cleaner.abandon() }
      state.withLock { $0.result = result }
      whenDone()
    }
  }

  /// Returns the result of cleaning; nil once the thread is closed.
  private func clean() -> Result<Int, StoreError>? {
    var pause = Self.pause.first
    let clock = ContinuousClock()
    while !state.withLock(\.isClosed) {
      let start = clock.now
      do throws(StoreError) {
        switch try cleaner.step() {
        case .done(let erasures): return .success(erasures)
        case .more:
          pause = Self.pause.first
          rest(microseconds: 2 * Int((clock.now - start) / .microseconds(1)))
        case .busy:
          rest(microseconds: 1_000 * pause)
          pause = min(2 * pause, Self.pause.longest)
        }
      } catch {
        if error.isTemporary {
          rest(microseconds: 1_000 * Self.pause.longest)
        } else {
          return .failure(error)
        }
      }
    }
    return nil
  }

  /// Rests for a span, or until the thread is closed.
  private func rest(microseconds: Int) {
    wakeFlag.wait(milliseconds: (microseconds + 999) / 1_000)
  }
}
