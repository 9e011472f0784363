internal import Synchronization

/// A reply whose body is read in chunks, with back-pressure on the connection. The release of this
/// object ends the transfer.
package final class StreamedReply: Sendable {
  private let loop: TransferLoop
  private let queue: ReplyQueue
  private let transfer: Transfer

  fileprivate init(_ request: TransferRequest, on loop: TransferLoop) {
    self.loop = loop
    queue = ReplyQueue()
    transfer = loop.start(request, listener: queue)
  }

  deinit {
    stop()
  }

  /// Ends the transfer; the next read fails.
  package func stop() {
    loop.run { [transfer] in transfer.stop() }
  }

  /// Waits for the complete head and returns it.
  package func head() async throws(StreamError) -> ReplyHead {
    while true {
      let (head, end, changes) = queue.status
      if head.isComplete { return head }
      if let end { throw StreamError(outcome: end, fault: head.fault) }
      await wait(after: changes)
    }
  }

  /// Waits for the next bytes of the body and returns them; nil at the end of the body.
  package func next() async throws(StreamError) -> [UInt8]? {
    while true {
      let (bytes, changes, end, wasPaused) = queue.removeArrived()
      if wasPaused { loop.run { [transfer] in transfer.resume() } }
      if !bytes.isEmpty { return bytes }
      if end == .whole { return nil }
      if let end { throw StreamError(outcome: end, fault: queue.status.head.fault) }
      await wait(after: changes)
    }
  }

  private func wait(after changes: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { queue.wait($0, after: changes) }
    } onCancel: {
      stop()
    }
  }
}

/// The reason why a reply ended early.
package struct StreamError: Error, Hashable {
  package let outcome: TransferOutcome
  /// The fault of the reply's head; nil if it has none.
  package let fault: ReplyError?
}

extension TransferLoop {
  package func stream(_ request: TransferRequest) -> StreamedReply {
    StreamedReply(request, on: self)
  }
}

/// Received data that has not been read yet.
private final class ReplyQueue: TransferListener, Sendable {
  /// The number of unread bytes at which the connection pauses.
  private static let byteCountMax = 1 << 18

  private struct State {
    var head = ReplyHead()
    /// The received bytes of the body that have not been read.
    var bytes: [UInt8] = []
    /// How the transfer ended; nil while it is running.
    var end: TransferOutcome?
    /// Whether the connection has paused until the bytes are read.
    var isPaused = false
    /// The number of changes so far. Each arrival of data is a change, and so is the end.
    var changes = 0
    /// The reader that waits for the next change; nil if none does.
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  var status: (head: ReplyHead, end: TransferOutcome?, changes: Int) {
    state.withLock { ($0.head, $0.end, $0.changes) }
  }

  /// Returns the unread bytes of the body and removes them.
  func removeArrived() -> (bytes: [UInt8], changes: Int, end: TransferOutcome?, wasPaused: Bool) {
    state.withLock { state in
      defer { (state.bytes, state.isPaused) = ([], false) }
      return (state.bytes, state.changes, state.end, state.isPaused)
    }
  }

  /// Resumes the continuation once the number of changes differs from `changes`. Only one caller
  /// may wait at a time.
  func wait(_ continuation: CheckedContinuation<Void, Never>, after changes: Int) {
    let hasChanged = state.withLock { state in
      if state.changes == changes { state.waiting = continuation }
      return state.changes != changes
    }
    if hasChanged { continuation.resume() }
  }

  /// Changes the state, counts the change, and resumes the waiting reader.
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, waiting) = state.withLock { state in
      let value = body(&state)
      defer { state.waiting = nil }
      state.changes += 1
      return (value, state.waiting)
    }
    waiting?.resume()
    return value
  }

  func receive(line: UnsafeRawBufferPointer) -> Bool { change { $0.head.read(line) } }

  func receive(body: UnsafeRawBufferPointer) -> BodyDemand {
    change { state in
      state.isPaused = state.bytes.count >= Self.byteCountMax
      if !state.isPaused { state.bytes += body }
      return state.isPaused ? .later : .more
    }
  }

  func end(_ outcome: TransferOutcome) {
    change { $0.end = outcome }
  }
}
