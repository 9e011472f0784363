import Synchronization

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
