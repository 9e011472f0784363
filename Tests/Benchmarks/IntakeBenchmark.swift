import CivilTime
import Engine
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Synchronization
import Systemd

/// Measures acknowledged events per second, including JSON parsing. Each event is durable before
/// its acknowledgement. Events are submitted in batches of 1,000 and of 5,000, and one by one from
/// many concurrent clients.
struct IntakeBenchmark {
  /// The number of events in each measurement of batches.
  let count: Int
  /// The kind of the measured store.
  var target = BenchmarkStore.file

  func run() async throws {
    print("intake of \(count) events, durable")
    for (name, size, clients) in [
      ("batches of 1,000", 1_000, 4), ("batches of 5,000", 5_000, 4),
      ("single, 256 clients", 1, 256),
    ] {
      let total = size == 1 ? min(count, 40_000) : count
      try await withScratchDirectory { directory in
        let engine = try engine(directory)
        let texts = (0..<total).map { Self.json($0) }
        let start = ticks()
        try await submit(texts, size: size, clients: clients, to: engine)
        let time = (ticks() - start) / 1e9
        show(name, Double(total) / time, "a second")
        await engine.stop()
      }
    }
  }

  private func engine(_ directory: String) throws -> Engine {
    try Engine(
      Engine.Configuration(
        store: target.opening(in: directory), planner: try Workload.planner(),
        sinks: [try JSONLinesSink(path: "/dev/null")], routes: Routes(allTo: "jsonl"),
        journal: Journal(.lines(open("/dev/null", O_WRONLY))),
        board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats()))
  }

  /// Submits events from several concurrent clients. Each client parses prepared texts, as if they
  /// arrived over the network.
  private func submit(
    _ texts: [String], size: Int, clients: Int, to engine: Engine
  ) async throws {
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<clients {
        group.addTask {
          let reader = EventReader(planner: engine.planner)
          let parser = JSONParser()
          while true {
            let start = counter.take(size)
            guard start < texts.count else { return }
            let events = try texts[start..<min(start + size, texts.count)].map { text in
              try reader.event(try parser.parse(text), now: WallClock.now())
            }
            _ = try await engine.submit(events)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  static func json(_ number: Int) -> String {
    """
    {"specversion":"1.0","id":"e\(number)","source":"benchmark","type":"lesson.completed",\
    "subject":"user-\(mixed(UInt64(number)) % 50_000)","time":"2026-03-02T09:00:00Z",\
    "data":{"day":\(number % 30 + 1)}}
    """
  }
}

/// Assigns ranges of numbers to concurrent tasks.
private final class Counter: Sendable {
  private let next = Mutex(0)

  /// Returns the first of `count` numbers, which no other call gets.
  func take(_ count: Int) -> Int {
    next.withLock { next in
      defer { next += count }
      return next
    }
  }
}
