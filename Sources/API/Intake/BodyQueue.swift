import NIOCore
import Synchronization

/// Passes a body from the task that receives it to the task that processes it. While the latter is
/// busy, input is buffered up to a limit, so a slow disk makes larger groups, not longer queues.
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

  /// Ends the body, with an error if it is incomplete. Later calls have no effect.
  func finish(_ end: Result<Void, any Error>) {
    let consumer = state.withLock { state in
      if state.end == nil { state.end = end }
      return state.consumer.take()
    }
    consumer?.resume()
  }

  /// Waits for bytes and removes them; nil at the end of the body.
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

  /// Stops consuming; the producer is released.
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

/// Splits a stream of bytes into lines, without blank ones.
struct LineSplitter {
  /// The longest line, in bytes; longer ones are skipped without buffering.
  let maximumBytes: Int
  private var bytes: [UInt8] = []
  /// The start of the next line in `bytes`.
  private var start = 0
  /// `bytes` has no line end before this offset, so no byte is scanned twice.
  private var searched = 0
  private var number = 0
  private var isTooLong = false

  enum Line: Equatable {
    case text(number: Int, Range<Int>)
    case tooLong(number: Int)
  }

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Invalidates the ranges of earlier lines.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes.removeSubrange(..<start)
    searched -= start
    start = 0
    bytes.append(contentsOf: more)
  }

  /// Ends the last line, which may lack its line feed.
  mutating func finish() {
    if start < bytes.count || isTooLong { append(CollectionOfOne(UInt8(ascii: "\n"))) }
  }

  /// The number of the next line, from 1.
  var nextNumber: Int { number + 1 }

  /// How many bytes of an incomplete line are buffered.
  var waitingBytes: Int { bytes.count - start }

  mutating func next() -> Line? {
    while let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      let range = start..<end
      number += 1
      start = end + 1
      searched = start
      if isTooLong || range.count > maximumBytes {
        isTooLong = false
        return .tooLong(number: number)
      }
      if bytes[range].contains(where: { !Self.isSpace($0) }) {
        return .text(number: number, range)
      }
    }
    searched = bytes.count
    if waitingBytes > maximumBytes {
      isTooLong = true
      start = bytes.count
    }
    return nil
  }

  /// Passes the bytes of a line to a closure.
  func withBytes<Result>(
    of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
