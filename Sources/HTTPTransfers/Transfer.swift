internal import CCurl

/// Takes in a reply, on the loop's thread.
protocol TransferListener: AnyObject {
  /// A line of a head, or of what follows the body, with its end.
  ///
  /// - Returns: whether to go on.
  func take(line: UnsafeRawBufferPointer) -> Bool
  func take(body: UnsafeRawBufferPointer) -> BodyTaking
  /// The last that is said.
  func end(_ outcome: TransferOutcome)
}

/// What becomes of bytes of a body.
enum BodyTaking {
  case more
  /// They are taken, and no more are wanted.
  case enough
  /// They are not taken; they come again when the transfer is resumed.
  case later
}

/// A request on its way. All of it belongs to the loop's thread.
final class Transfer: @unchecked Sendable {
  private let listener: any TransferListener
  /// There from its start to its end.
  private var pointer: OpaquePointer?
  private var isStopped = false

  init(_ listener: any TransferListener) {
    self.listener = listener
  }

  func start(_ request: TransferRequest, on thread: LoopThread) {
    guard !isStopped else { return listener.end(.stopped) }
    guard let fields = request.lines else {
      return listener.end(.failed("a field of the request has a line break or a zero byte"))
    }
    let context = Unmanaged.passRetained(self)
    let made = request.withC { ccurl_transfer_make(thread.pointer, &$0, context.listener) }
    guard let made else {
      context.release()
      return listener.end(.failed("memory is short"))
    }
    guard fields.allSatisfy({ ccurl_transfer_add(made, $0) }) else {
      return ccurl_transfer_stop(made)
    }
    pointer = made
    ccurl_transfer_start(made)
  }

  /// Goes on after `later`.
  func resume() {
    if let pointer { ccurl_transfer_resume(pointer) }
  }

  /// Gives it up.
  func stop() {
    isStopped = true
    if let pointer { ccurl_transfer_stop(pointer) }
  }

  fileprivate func take(line: UnsafeRawBufferPointer) -> Bool { listener.take(line: line) }

  fileprivate func take(body: UnsafeRawBufferPointer) -> CCurlTaking {
    switch listener.take(body: body) {
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
          .take(line: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      body: { context, bytes, count in
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
          .take(body: UnsafeRawBufferPointer(start: bytes, count: count))
      },
      end: { context, outcome in
        Unmanaged<Transfer>.fromOpaque(context).takeRetainedValue().end(outcome.pointee)
      })
  }
}
