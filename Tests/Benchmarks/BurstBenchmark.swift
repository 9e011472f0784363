import CivilTime
import Engine
import Foundation
import Outbox
import Reminders
import Sinks
import Store
import Systemd

/// A burst: all recipients are due at 21:00. Measures the time from 21:00 until the last delivery
/// is durable in the sink's file and recorded as delivered.
struct BurstBenchmark {
  /// The number of recipients.
  let count: Int
  /// Whether each recipient has its own quiet hours, caps and matrix.
  var isGated = false
  /// The kind of the measured store.
  var target = BenchmarkStore.file

  func run() async throws {
    print(isGated ? "burst of \(count), all with preferences of their own" : "burst of \(count)")
    try await withScratchDirectory { directory in
      let planner = try Workload.planner()
      try fill(directory, planner)
      let sink = try JSONLinesSink(path: directory + "/deliveries.jsonl")
      let requestQueue = try RequestQueue()
      let shell = EngineShell(
        sinks: [sink], requestQueue: requestQueue, journal: Journal(.lines(Self.nullDevice)))
      var core: EngineCore?
      let start = try seconds {
        core = try EngineCore(
          store: target.open(in: directory, at: Self.evening), planner: planner, sinks: [sink],
          actions: shell, now: Self.evening - .seconds(1))
      }
      guard let core else { return }
      try core.startDecider()
      defer { core.endThreads() }
      show("ready after", start, "s")
      core.store.releaseMemory()
      show("resident with all pending, at rest", Double(residentBytes()) / 1e6, "MB")
      let processorStart = processorSeconds()
      let time = try seconds { try fire(core, requestQueue) }
      let processorTime = processorSeconds() - processorStart
      show("from due to delivered", time, "s")
      show("that is", Double(count) / time, "deliveries a second")
      let timeEach = processorTime * 1e6 / Double(count)
      show("the engine's thread used", timeEach, "us of processor time each")
      show("resident afterwards", Double(residentBytes()) / 1e6, "MB")
      core.store.releaseMemory()
      show("resident at rest again", Double(residentBytes()) / 1e6, "MB")
      try check(directory)
    }
  }

  private static let morning = Instant("2026-03-02T09:00:00Z") ?? Instant(milliseconds: 0)
  static let evening = Instant("2026-03-02T21:00:00Z") ?? Instant(milliseconds: 0)
  static let nullDevice = open("/dev/null", O_WRONLY)

  /// Creates a store in which all recipients have a check-in at 21:00.
  func fill(_ directory: String, _ planner: Planner) throws {
    let idle = EngineShell(
      sinks: [], requestQueue: try RequestQueue(), journal: Journal(.lines(Self.nullDevice)))
    let core = try EngineCore(
      store: target.open(in: directory, at: Self.morning), planner: planner, sinks: [],
      actions: idle, now: Self.morning)
    let time = try seconds {
      try Workload.populate(core, count: count, at: Self.morning, isGated: isGated)
    }
    show("events accepted while filling", Double(count) / time, "a second")
    try core.store.shutDown()
  }

  /// Runs engine cycles like the engine's loop, without the sleep before 21:00.
  func fire(_ core: EngineCore, _ requestQueue: RequestQueue) throws {
    repeat {
      try core.turn(requestQueue.take(), now: Self.evening)
      if !core.hasWork, !core.isIdle { waitForAnswer(requestQueue) }
    } while !core.isIdle
  }

  private func waitForAnswer(_ requestQueue: RequestQueue) {
    var request = pollfd(fd: requestQueue.flag, events: Int16(POLLIN), revents: 0)
    _ = poll(&request, 1, 10_000)
  }

  private func check(_ directory: String) throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: directory + "/deliveries.jsonl"))
    let lines = file.count { $0 == UInt8(ascii: "\n") }
    print(lines == count ? "  all \(count) are in the file" : "  WRONG: \(lines) in the file")
  }
}
