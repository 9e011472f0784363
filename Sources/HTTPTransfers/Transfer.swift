internal import CCurl

/// Receives the parts of a reply. All calls come on the loop's thread.
protocol TransferListener: AnyObject {
  /// Receives a header or trailer line, including its line end.
  ///
  /// - Returns: false to abort the transfer.
  func receive(line: UnsafeRawBufferPointer) -> Bool
  func receive(body: UnsafeRawBufferPointer) -> BodyDemand
  /// Receives the outcome, once, as the last call.
  func end(_ outcome: TransferOutcome)
}

/// How a transfer continues after a chunk of the body.
enum BodyDemand {
  case more
  /// The chunk is accepted, and the transfer ends.
  case enough
  /// The chunk is refused and the transfer pauses. It is delivered again after `resume()`.
  case later
}

/// A running request. Only the loop's thread may use its members.
final class Transfer: @unchecked Sendable {
  private let listener: any TransferListener
  /// The C object of the transfer; nil when the transfer is not running.
  private var pointer: OpaquePointer?
  /// Whether the transfer was stopped, possibly before its start.
  private var isStopped = false

  init(_ listener: any TransferListener) {
    self.listener = listener
  }

  func start(_ request: TransferRequest, on thread: LoopThread) {
    guard !isStopped else { return listener.end(.stopped) }
    guard let fields = request.lines else {
      return listener.end(.failed("a header field of the request has a line break or a zero byte"))
    }
    let context = Unmanaged.passRetained(self)
    let newPointer = request.withC { ccurl_transfer_make(thread.pointer, &$0, context.listener) }
    guard let newPointer else {
      context.release()
      return listener.end(.failed("there is not enough memory"))
    }
    guard fields.allSatisfy({ ccurl_transfer_add(newPointer, $0) }) else {
      // There is not enough memory. The listener receives the outcome `stopped`.
      return ccurl_transfer_stop(newPointer)
    }
    pointer = newPointer
    ccurl_transfer_start(newPointer)
  }

  /// Continues a transfer that paused because its listener returned `later`.
  func resume() {
    if let pointer { ccurl_transfer_resume(pointer) }
  }

  /// Ends the transfer.
  func stop() {
    isStopped = true
    if let pointer { ccurl_transfer_stop(pointer) }
  }

  fileprivate func receive(line: UnsafeRawBufferPointer) -> Bool { listener.receive(line: line) }

  fileprivate func receive(body: UnsafeRawBufferPointer) -> CCurlTaking {
    switch listener.receive(body: body) {
    case .more: .more
    case .enough: .enough
    case .later: .later
    }
  }

  fileprivate func end(_ outcome: CCurlOutcome) {
    pointer = nil
    listener.end(TransferOutcome(outcome))
  }
}

extension Unmanaged<Transfer> {
  fileprivate var listener: CCurlListener {
    CCurlListener(
      context: toOpaque(),
      line: { context, bytes, count in
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
          .receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      body: { context, bytes, count in
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
          .receive(body: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      end: { context, outcome in
        Unmanaged<Transfer>.fromOpaque(context).takeRetainedValue().end(outcome.pointee)
      })
  }
}
