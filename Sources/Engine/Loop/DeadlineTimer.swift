import Dispatch

/// Calls a function after a span, on a queue that must not be blocked. Thread-safe, although the
/// source's type is not declared `Sendable`.
struct DeadlineTimer: @unchecked Sendable {
  /// The queue is private. After the first job on a shared queue, libdispatch checks its threads
  /// each second, so that an idle service would never sleep.
  private static let queue = DispatchQueue(label: "deadlines")

  private let source: any DispatchSourceTimer

  /// - Parameters:
  ///   - milliseconds: the span.
  ///   - isRepeating: whether the function is called again after each further span.
  init(
    after milliseconds: Int, isRepeating: Bool = false,
    _ body: @escaping @Sendable () -> Void
  ) {
    source = DispatchSource.makeTimerSource(queue: Self.queue)
    let span = DispatchTimeInterval.milliseconds(milliseconds)
    source.setEventHandler(handler: body)
    source.schedule(deadline: .now() + span, repeating: isRepeating ? span : .never)
    source.activate()
  }

  func cancel() { source.cancel() }
}
