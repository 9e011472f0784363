import Store
import Synchronization
import Systemd

/// Cleans the store's files of who was erased on a thread of its own (rule H6), which rests twice
/// as long as it works: the engine commits between its steps.
final class FileCleaning: Sendable {
  private struct State {
    var isBusy = false
    var isClosed = false
    var result: Result<Int, StoreError>?
  }

  /// How long it waits for those who read the log, at first and at most.
  private static let pause: (first: Int, most: Int) = (5, 1_000)

  private let cleaner: any StoreCleaner
  private let state = Mutex(State())
  private let order: WakeFlag
  private let whenDone: @Sendable () -> Void

  /// - Parameter whenDone: called on the thread when there is a result to be taken.
  init(_ cleaner: any StoreCleaner, whenDone: @escaping @Sendable () -> Void)
    throws(SystemCallError)
  {
    self.cleaner = cleaner
    self.whenDone = whenDone
    order = try WakeFlag()
    try OperatingSystemThread(name: "cleaning") { [self] in run() }.detach()
  }

  /// Has the files cleaned, unless that is under way: then whoever was erased since has their turn
  /// after it.
  func begin() {
    let isNew = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isNew { order.raise() }
  }

  /// How many erasures since the start the files are clean of, or what failed; nil while it is not
  /// done.
  func takeResult() -> Result<Int, StoreError>? {
    state.withLock { state in
      guard let result = state.result.take() else { return nil }
      state.isBusy = false
      return result
    }
  }

  /// Ends the thread after the step that it is at.
  func close() {
    state.withLock { $0.isClosed = true }
    order.raise()
  }

  private func run() {
    while true {
      order.wait()
      guard let result = clean() else { return cleaner.abandon() }
      state.withLock { $0.result = result }
      whenDone()
    }
  }

  /// Nil when it is closed.
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
          pause = min(2 * pause, Self.pause.most)
        }
      } catch {
        if error.isPassing {
          rest(microseconds: 1_000 * Self.pause.most)
        } else {
          return .failure(error)
        }
      }
    }
    return nil
  }

  /// Until then, or until it is closed.
  private func rest(microseconds: Int) {
    order.wait(milliseconds: (microseconds + 999) / 1_000)
  }
}
