import NIOCore
import Synchronization

/// Passes a body from the task that receives it to the task that processes it. While the second
/// task is busy, the queue buffers bytes up to a limit, and the second task then gets all of them
/// at once. So a slow disk leads to larger groups of events.
///
/// The queue has one producer and one consumer.
final class BodyQueue: Sendable {
  private struct State {
    var bytes = ByteBuffer()
    /// How the body ended; nil until then.
    var end: Result<Void, any Error>?
    /// Whether the consumer has stopped.
    var isAbandoned = false
    /// The producer, while it waits for space.
    var producer: CheckedContinuation<Void, Never>?
    /// The consumer, while it waits for bytes.
    var consumer: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  /// The number of buffered bytes from which the producer waits, and the most bytes that one call
  /// of `dequeue` returns.
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Appends bytes, and waits while the buffer is full.
  ///
  /// - Returns: false if the consumer has stopped.
  func enqueue(_ bytes: ByteBuffer) async -> Bool {
    await withCheckedContinuation { continuation in
      let (readyCaller, consumer) = state.withLock { state in
        state.bytes.writeImmutableBuffer(bytes)
        let isFull = state.bytes.readableBytes >= limit && !state.isAbandoned
        state.producer = isFull ? continuation : nil
        return (isFull ? nil : continuation, state.consumer.take())
      }
      consumer?.resume()
      readyCaller?.resume()
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

  /// Returns the next bytes, and waits for them if there are none yet; nil at the end of the body.
  ///
  /// - Throws: the error with which the body ended.
  func dequeue() async throws -> ByteBuffer? {
    await withCheckedContinuation { continuation in
      let readyCaller: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard state.bytes.readableBytes == 0 && state.end == nil else { return continuation }
        state.consumer = continuation
        return nil
      }
      readyCaller?.resume()
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
    let chunk = state.bytes.readSlice(length: min(limit, state.bytes.readableBytes))
    if state.bytes.readableBytes == 0 { state.bytes = ByteBuffer() }
    return (chunk, state.bytes.readableBytes < limit ? state.producer.take() : nil)
  }
}
