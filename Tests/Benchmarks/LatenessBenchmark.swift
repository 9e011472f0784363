import CivilTime
import Engine
import Foundation
import Outbox
import Reminders
import Synchronization
import Systemd

/// Measures the lateness of a thousand reminders per second. Lateness is the time from the planned
/// instant to the call of the sink, including the decision and its durable record.
struct LatenessBenchmark {
  /// The duration of the load.
  let seconds: Int
  /// The kind of the measured store.
  var target = BenchmarkStore.file

  func run() async throws {
    print("lateness at 1,000 due a second, for \(seconds) s")
    try await withScratchDirectory { directory in
      let sink = MeasuringSink()
      let engine = try Engine(
        Engine.Configuration(
          store: target.opening(in: directory), planner: try Workload.planner(),
          sinks: [sink],
          routes: Routes(allTo: sink.name),
          journal: Journal(.lines(open("/dev/null", O_WRONLY))),
          board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats()))
      // Events are reported in advance, so that intake does not delay firing.
      let start = WallClock.now() + .seconds(4)
      for first in stride(from: 0, to: seconds * 1000, by: 1000) {
        let events = (first..<first + 1000).map { number in
          Workload.event(
            number, "milestone.reached", recipient: number,
            at: start + .milliseconds(number) - .seconds(1), .happening(number: 7),
            data: "{\"days\":7}")
        }
        _ = try await engine.submit(events)
      }
      await sink.wait(for: seconds * 1000)
      sink.show()
      await engine.stop()
    }
  }
}

/// Records the lateness of each delivery.
final class MeasuringSink: Sink {
  let name = "measuring"
  private struct State {
    /// The lateness of each recorded delivery.
    var milliseconds: [Double] = []
    /// The number of deliveries for which `waiter` waits.
    var target = Int.max
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let now = Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      for delivery in deliveries where delivery.reminder.hasPrefix("milestone") {
        state.milliseconds.append(now - Double(delivery.planned.milliseconds))
      }
      guard state.milliseconds.count >= state.target else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
    return Array(repeating: .delivered, count: deliveries.count)
  }

  /// Waits until `count` deliveries have been recorded.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard state.milliseconds.count < count else { return true }
        (state.target, state.waiter) = (count, continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Starts a new measurement.
  func forget() {
    state.withLock { $0 = State() }
  }

  /// Prints percentiles of the recorded lateness.
  func show() {
    let sorted = state.withLock { $0.milliseconds.sorted() }
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
      Main.show(name, sorted[Int(Double(sorted.count - 1) * quantile)])
    }
  }

  private enum Main {
    static func show(_ name: String, _ value: Double) {
      print("  \(name): \(String(format: "%.3f", value)) ms")
    }
  }
}
