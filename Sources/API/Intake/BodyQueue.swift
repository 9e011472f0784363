import NIOCore
import Synchronization

/// Hands a body from the task that receives it to the one that works on it. While that one is busy,
/// what arrives gathers, up to a limit, so that a slow disk makes larger groups, not longer queues.
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
  /// How many bytes may wait, and are handed over at once at the most.
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds bytes, and waits while too many wait.
  ///
  /// - Returns: false when nobody will take them.
  func put(_ bytes: ByteBuffer) async -> Bool {
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

  /// Tells that no more bytes come, because the body is complete or for an error. Only the first
  /// time counts.
  func finish(_ end: Result<Void, any Error>) {
    let consumer = state.withLock { state in
      if state.end == nil { state.end = end }
      return state.consumer.take()
    }
    consumer?.resume()
  }

  /// Waits for bytes and takes those that are there; nil at the end of the body.
  func take() async throws -> ByteBuffer? {
    await withCheckedContinuation { continuation in
      let ready: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard state.bytes.readableBytes == 0 && state.end == nil else { return continuation }
        state.consumer = continuation
        return nil
      }
      ready?.resume()
    }
    let (taken, producer) = try state.withLock { state in try Self.take(from: &state, limit) }
    producer?.resume()
    return taken
  }

  /// Tells that no more bytes will be taken.
  func abandon() {
    let producer = state.withLock { state in
      state.isAbandoned = true
      return state.producer.take()
    }
    producer?.resume()
  }

  private static func take(
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
