import CivilTime
import Engine
import Foundation
import JSON
import Outbox
import Reminders
import SQLiteStore
import Sinks
import Store
import Systemd

/// Measures a burst of requested notifications with different texts, in a store with one earlier
/// burst and in a store with millions of earlier notifications.
struct HistoryBenchmark {
  /// The number of earlier notifications.
  let history: Int
  /// The number of notifications of a burst, and of recipients.
  private static let burstSize = 100_000
  private static let start = Instant("2026-03-02T09:00:00Z") ?? Instant(milliseconds: 0)

  func run() async throws {
    print("a burst of \(Self.burstSize) requests with a history of \(history)")
    try await withScratchDirectory { directory in
      let planner = try Workload.planner()
      let sink = try JSONLinesSink(path: "/dev/null")
      let requestQueue = try RequestQueue()
      let core = try EngineCore(
        store: BenchmarkStore.file.open(in: directory, at: Self.start), planner: planner,
        sinks: [sink],
        actions: EngineShell(
          sinks: [sink], requestQueue: requestQueue,
          journal: Journal(.lines(BurstBenchmark.nullDevice))),
        now: Self.start)
      try core.startDecider()
      defer { core.endThreads() }
      let rounds = history / Self.burstSize + 1
      for round in 0...rounds {
        let due = Self.start + .hours(round)
        let initialSize = try size(directory)
        let intake = try seconds { try request(round, due, of: core, planner) }
        let time = try seconds { try fire(core, requestQueue, now: due) }
        // Show the first round in which all recipients exist already, and the last round.
        guard round == 1 || round == rounds else { continue }
        print(" after \(round * Self.burstSize)")
        show("accepted", Double(Self.burstSize) / intake, "a second")
        show("from due to delivered", time, "s")
        let growth = try size(directory) - initialSize
        show("the store grew by", Double(growth) / Double(Self.burstSize), "B each")
      }
    }
  }

  private func request(
    _ round: Int, _ due: Instant, of core: EngineCore, _ planner: Planner
  ) throws {
    let reader = EventReader(planner: planner)
    let parser = JSONParser()
    let now = due - .minutes(30)
    for first in stride(from: 0, to: Self.burstSize, by: 5_000) {
      let events = try (first..<first + 5_000).map { number in
        // Apps do not report events in the order of recipients.
        let person = number * 7_919 % Self.burstSize
        return try reader.event(try parser.parse(Self.text(round, number, person, due)), now: now)
      }
      try core.turn([.submit(events, { _ in })], now: now)
    }
  }

  private static func text(
    _ round: Int, _ number: Int, _ person: Int, _ due: Instant
  ) -> String {
    """
    {"specversion":"1.0","id":"\(round)-\(number)","source":"benchmark",\
    "type":"notification.requested","subject":"user-\(person)","time":"\(due - .minutes(30))",\
    "data":{"category":"MILESTONE","title":"Job \(number)","at":"\(due)",\
    "body":"This is the text of job \(number) of \(round), and of no other"}}
    """
  }

  private func fire(_ core: EngineCore, _ requestQueue: RequestQueue, now: Instant) throws {
    repeat {
      try core.turn(requestQueue.take(), now: now)
      if !core.hasWork, !core.isIdle {
        var request = pollfd(fd: requestQueue.flag, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, 10_000)
      }
    } while !core.isIdle
  }

  private func size(_ directory: String) throws -> Int {
    let state = directory + "/state"
    return try FileManager.default.contentsOfDirectory(atPath: state).reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: state + "/" + name)
      return sum + ((attributes[.size] as? Int) ?? 0)
    }
  }
}
