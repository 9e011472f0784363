import Dispatch

/// Calls back after a while, on a thread that nobody blocks.
///
/// Its methods may be called from anywhere; only the source's type does not say so.
struct DeadlineTimer: @unchecked Sendable {
  /// A queue of its own: the first job on a shared one has libdispatch look after its threads each
  /// second for good, and an idle service would not sleep any more.
  private static let queue = DispatchQueue(label: "deadlines")

  private let source: any DispatchSourceTimer

  /// - Parameters:
  ///   - milliseconds: the while.
  ///   - isRepeating: whether it calls back each time that it has passed.
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
