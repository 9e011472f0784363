import CivilTime
import Foundation
import Outbox
import Reminders
import Store
import Synchronization
import Systemd
import Testing

@testable import Engine

/// Rule F4: when a node is no longer trusted, its sinks get nothing.
@Suite(.timeLimit(.minutes(1))) struct TrustTests {
  private func trust(until end: TimeSpan) -> TrustDeadline {
    TrustDeadline(until: end) { .seconds(1) }
  }

  @Test func `trust holds until its end`() {
    #expect(trust(until: .seconds(2)).holds)
    #expect(trust(until: .seconds(2)).remaining == .seconds(1))
    #expect(!trust(until: .seconds(1)).holds)
    #expect(trust(until: .milliseconds(1)).remaining == .zero)
  }

  /// The caller must learn whether the trust had ended, because other nodes may have acted
  /// meanwhile.
  @Test func `extending trust returns whether the trust still held`() {
    let trust = trust(until: .milliseconds(5))
    #expect(trust.move(to: .seconds(3)))
    #expect(!trust.move(to: .seconds(4)))
    #expect(trust.holds)
  }

  @Test(arguments: [true, false])
  func `a sink gets deliveries only while the node is trusted`(isTrusted: Bool) async throws {
    let requestQueue = try RequestQueue()
    let sink = HangingSink(.suspends)
    sink.release()
    let shell = EngineShell(
      sinks: [sink], requestQueue: requestQueue, journal: Journal(.lines(-1)),
      trust: trust(until: isTrusted ? .seconds(100) : .milliseconds(500)))
    shell.dispatch([delivery], toLane: 0)
    let answers = await answers(requestQueue)
    #expect(answers.map(\.isSuccess) == [isTrusted])
    #expect(sink.dispatched.count == (isTrusted ? 1 : 0))
  }

  /// A call in progress is checked when the trust ends, and again after each extension.
  @Test func `a call in progress is given up when the trust ends`() async throws {
    let checks = Mutex(0)
    let trust = TrustDeadline(until: .milliseconds(2)) {
      checks.withLock { checks in
        checks += 1
        // The first checks find that the trust holds.
        return checks < 3 ? .milliseconds(1) : .milliseconds(3)
      }
    }
    await withCheckedContinuation { continuation in
      TrustWatch(trust, of: FirstAnswer { _ in }, abort: { continuation.resume() }).begin()
    }
    #expect(!trust.holds)
    #expect(checks.withLock { $0 } > 3)
  }

  /// A watch ends even if it begins after the end of its engine.
  @Test func `streams end with their engine`() {
    let (people, service) = (Watchers(), ViewWatchers())
    let signals = (0..<4).map { _ in StreamSignal() }
    let watch = Watch(1, signal: signals[0], in: people)
    let view = ViewWatch(signal: signals[1], in: service)
    people.endAll()
    service.endAll()
    let late = Watch(1, signal: signals[2], in: people)
    let lateView = ViewWatch(signal: signals[3], in: service)
    withExtendedLifetime((watch, view, late, lateView)) {
      let ended = signals.filter { $0.isEnding }
      #expect(ended.count == signals.count)
    }
  }

  /// Trust in a discarded engine is revoked, because other nodes may already act.
  @Test func `revoked trust ends calls at once and for good`() async {
    let trust = trust(until: .hours(1))
    await withCheckedContinuation { continuation in
      TrustWatch(trust, of: FirstAnswer { _ in }, abort: { continuation.resume() }).begin()
      trust.revoke()
    }
    #expect(!trust.holds)
    _ = trust.move(to: .hours(2))
    #expect(!trust.holds)
    await withCheckedContinuation { continuation in
      TrustWatch(trust, of: FirstAnswer { _ in }, abort: { continuation.resume() }).begin()
    }
  }

  private func answers(_ requestQueue: RequestQueue) async -> [Result<[SinkAnswer], SinkOutage>] {
    let requests: [Request] = await withCheckedContinuation { continuation in
      Thread {
        var flag = pollfd(fd: requestQueue.flag, events: Int16(POLLIN), revents: 0)
        poll(&flag, 1, 30_000)
        continuation.resume(returning: requestQueue.take())
      }.start()
    }
    return requests.compactMap { if case .sinkAnswered(_, let answer) = $0 { answer } else { nil } }
  }

  private var delivery: Reminders.Delivery {
    let time = Instant(milliseconds: 0)
    return Delivery(
      instance: "store", notification: 1, row: 1, recipient: "amina", channel: .push,
      isSilent: false, planned: time, at: time, expiry: time,
      message: Message(reminder: "note", category: "NOTE", title: "Note", body: "A note."))
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
