import CCurl
import Foundation
import Synchronization
import Testing

/// Deadlines of requests, on the thread that performs them.
@Suite struct TransferDeadlineTests {
  /// The deadline passes after the thread has looked for work and before it waits, when nothing
  /// else would wake it.
  @Test func `a deadline just before the thread waits is not missed`() throws {
    let server = try SilentServer()
    #expect(try SlowLoop(to: server.port).ending() == .late)
  }
}

/// A request whose deadline passes during one turn of the loop, that is, one call of its callback.
private final class SlowLoop: Sendable {
  private static let timeout = Duration.milliseconds(30)
  private let url: String
  private let turns = Atomic(0)
  private let isOver = Atomic(false)
  private let end = Mutex<CCurlEnding?>(nil)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(to port: Int) {
    url = "http://127.0.0.1:\(port)/"
  }

  /// Sends the request, and returns how it ended; nil if it has not ended after 10 seconds.
  func ending() throws -> CCurlEnding? {
    var settings = CCurlLoopSettings()
    settings.connections_max = 1
    settings.idle_seconds = 30
    let context = Unmanaged.passRetained(self)
    let loop = try #require(
      ccurl_loop_open(
        &settings, context.toOpaque(),
        { Unmanaged<SlowLoop>.fromOpaque($0).takeUnretainedValue().turn() },
        { Unmanaged<SlowLoop>.fromOpaque($0).release() }))
    current.withLock { $0 = Loop(pointer: loop) }
    ccurl_loop_wake(loop)
    _ = hasEnded.wait(timeout: .now() + 10)
    let ending = end.withLock { $0 }
    isOver.store(true, ordering: .relaxed)
    ccurl_loop_wake(loop)
    return ending
  }

  private struct Loop: @unchecked Sendable { let pointer: OpaquePointer }
  private let current = Mutex<Loop?>(nil)

  private func turn() -> CCurlTurn {
    guard !isOver.load(ordering: .relaxed) else { return .end }
    guard let loop = current.withLock({ $0 }) else { return .wait }
    switch turns.add(1, ordering: .relaxed).newValue {
    case 1: start(on: loop.pointer)
    case 2..<10: break  // The request goes out.
    case 10:
      let start = ContinuousClock.now
      while ContinuousClock.now - start < Self.timeout * 2 {}
      return .wait
    default: return .wait
    }
    return .again
  }

  private func start(on loop: OpaquePointer) {
    let listener = CCurlListener(
      context: Unmanaged.passUnretained(self).toOpaque(), line: { _, _, _ in true },
      body: { _, _, _ in .more },
      end: { context, outcome in
        let turns = Unmanaged<SlowLoop>.fromOpaque(context).takeUnretainedValue()
        turns.end.withLock { $0 = outcome.pointee.ending }
        turns.hasEnded.signal()
      })
    let transfer = "GET".withCString { method in
      url.withCString { url in
        var request = CCurlRequest(
          method: method, url: url, socket: nil, addresses: nil, addresses_count: 0,
          has_body: false,
          body: nil, body_count: 0,
          deadline_milliseconds: Self.timeout.components.attoseconds
            / 1_000_000_000_000_000, connect_milliseconds: 1_000, silence_seconds: 0)
        return ccurl_transfer_make(loop, &request, listener)
      }
    }
    if let transfer { ccurl_transfer_start(transfer) }
  }
}
