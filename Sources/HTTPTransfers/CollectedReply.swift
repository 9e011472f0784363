internal import Synchronization

/// A reply, whose body may be incomplete or cut.
package struct CollectedReply: Sendable {
  package internal(set) var head = ReplyHead()
  package internal(set) var body: [UInt8] = []
  /// Whether the body was cut at `bodyMax`.
  package internal(set) var isCut = false
  /// How the transfer ended.
  package internal(set) var outcome = TransferOutcome.stopped
}

extension TransferLoop {
  /// Sends a request and collects the reply.
  ///
  /// Cancelling the task ends the transfer.
  ///
  /// - Parameter bodyMax: the maximum size of the body in bytes. A longer body is cut to this size,
  ///   and the transfer ends.
  package func reply(to request: TransferRequest, bodyMax: Int) async -> CollectedReply {
    let collector = ReplyCollector(bodyMax: bodyMax)
    let transfer = Mutex<Transfer?>(nil)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        collector.continuation = continuation
        let newTransfer = start(request, listener: collector)
        transfer.withLock { $0 = newTransfer }
        if Task.isCancelled { run { newTransfer.stop() } }
      }
    } onCancel: {
      guard let newTransfer = transfer.withLock({ $0 }) else { return }
      run { newTransfer.stop() }
    }
  }
}

private final class ReplyCollector: TransferListener {
  private let bodyMax: Int
  private var reply = CollectedReply()
  var continuation: CheckedContinuation<CollectedReply, Never>?

  init(bodyMax: Int) {
    self.bodyMax = bodyMax
  }

  func receive(line: UnsafeRawBufferPointer) -> Bool { reply.head.read(line) }

  func receive(body: UnsafeRawBufferPointer) -> BodyDemand {
    let remaining = bodyMax - reply.body.count
    reply.body += body.prefix(remaining)
    reply.isCut = body.count > remaining
    return reply.isCut ? .enough : .more
  }

  func end(_ outcome: TransferOutcome) {
    reply.outcome = outcome
    continuation?.resume(returning: reply)
    continuation = nil
  }
}
