import NIOCore
import Synchronization

/// Passes a body from the task that receives it to the task that processes it. While the second
/// task is busy, input is buffered up to a limit, so a slow disk makes larger groups, not longer
/// queues.
///
/// For one producer and one consumer.
final class BodyQueue: Sendable {
  private struct State {
    var bytes = ByteBuffer()
    var end: Result<Void, any Error>?
    var isAbandoned = false
    var producer: CheckedContinuation<Void, Never>?
    var consumer: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  /// The limit of buffered bytes, and of one chunk.
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Appends bytes, and waits while the buffer is full.
  ///
  /// - Returns: false if the consumer has stopped.
  func enqueue(_ bytes: ByteBuffer) async -> Bool {
    await withCheckedContinuation { continuation in
      let (ready, consumer) = state.withLock { state in
        state.bytes.writeImmutableBuffer(bytes)
        let isFull = state.bytes.readableBytes >= limit && !state.isAbandoned
        state.producer = isFull ? continuation : nil
        return (isFull ? nil : continuation, state.consumer.take())
      }
      consumer?.resume()
      ready?.resume()
    }
    return !state.withLock { $0.isAbandoned }
  }

  /// Ends the body, with an error if it is incomplete. Later calls have no effect.
  func finish(_ end: Result<Void, any Error>) {
    let consumer = state.withLock { state in
      if state.end == nil { state.end = end }
      return state.consumer.take()
    }
    consumer?.resume()
  }

  /// Waits for bytes and removes them; nil at the end of the body.
  func dequeue() async throws -> ByteBuffer? {
    await withCheckedContinuation { continuation in
      let ready: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard state.bytes.readableBytes == 0 && state.end == nil else { return continuation }
        state.consumer = continuation
        return nil
      }
      ready?.resume()
    }
    let (bytes, producer) = try state.withLock { state in try Self.dequeue(from: &state, limit) }
    producer?.resume()
    return bytes
  }

  /// Stops consuming, and resumes a waiting producer.
  func abandon() {
    let producer = state.withLock { state in
      state.isAbandoned = true
      return state.producer.take()
    }
    producer?.resume()
  }

  private static func dequeue(
    from state: inout State, _ limit: Int
  ) throws -> (ByteBuffer?, CheckedContinuation<Void, Never>?) {
    guard state.bytes.readableBytes > 0 else {
      try state.end?.get()
      return (nil, nil)
    }
    let taken = state.bytes.readSlice(length: min(limit, state.bytes.readableBytes))
    if state.bytes.readableBytes == 0 { state.bytes = ByteBuffer() }
    return (taken, state.bytes.readableBytes < limit ? state.producer.take() : nil)
  }
}
