import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule M6: outcomes of notifications are sent to the sink of their route.
@Suite struct OutcomesRouteTests {
  /// A daily note at 12:00 by push. The sinks "lines" and "hook" receive analytics events.
  private let stage: Stage

  init() throws {
    stage = try Stage(catalog: Fixtures.notes(channels: "push: true"), at: "2026-03-02 08:00")
    stage.others = [NamedSink(name: "lines"), NamedSink(name: "hook")]
    var routes = Routes(allTo: stage.sink.name)
    routes.logsOutcomes = true
    routes.analytics = "lines"
    stage.routes = routes
  }

  /// Restarts the service with a route of outcomes, and makes the recipient known.
  private func begin() throws {
    stage.routes?.outcomes = "hook"
    try stage.restart()
    try stage.take("recipient.updated", ["locale": "en"])
  }

  private func switchEmail(_ isOn: Bool) throws {
    try stage.take("preferences.updated", ["channels": ["email": .bool(isOn)]])
  }

  /// Returns the events that were sent since the last call, such as "hook accepted", by sink and
  /// state or name. The sinks accept them, except one that does not answer.
  private func deliver(without silentSink: String? = nil) throws -> [String] {
    var lines: [String] = []
    for _ in 0..<6 {
      try stage.turn()
      for (lane, events) in stage.world.takeAnalytics() {
        let sink = stage.world.sink(of: lane).split(separator: " ")[0]
        if let silentSink, sink == silentSink { continue }
        lines += events.map { event in
          "\(sink) \(event.record.values["state"]?.stringValue ?? event.record.event.name)"
        }
        try stage.turn(
          [.analyticsAnswered(lane: lane, .success(events.map { _ in .delivered }))])
      }
    }
    return lines
  }

  private let changed = "lines notification_preference_changed"

  @Test func `M6: a route of outcomes carries them alone, in order, and analytics the others`()
    throws
  {
    try begin()
    try switchEmail(false)
    #expect(try deliver() == [changed])
    try stage.run(to: "2026-03-02 12:30")
    #expect(try deliver() == ["hook sent", "hook accepted"])
    let id = try #require(stage.attempts.first).identifier
    try stage.take("notification.opened", ["notification": .string(id)])
    try switchEmail(true)
    #expect(try deliver().sorted() == ["hook opened", changed])
    #expect(try deliver() == [])
  }

  @Test func `M6: without a route of their own, the route of analytics carries outcomes`() throws {
    try stage.restart()
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:30")
    #expect(try deliver() == ["lines sent", "lines accepted"])
  }

  @Test func `M6: the status counts what waits for each route`() throws {
    try begin()
    try switchEmail(false)
    try stage.run(to: "2026-03-02 12:30")
    let status = try stage.status()
    #expect(status.analytics?.waiting == 1 && status.analytics?.sink == "lines")
    #expect(status.outcomes?.waiting == 2 && status.outcomes?.sink == "hook")
    let metrics = try stage.core().metrics(now: stage.now)
    #expect(metrics.analytics.map(\.sink) == ["lines", "hook"])
    #expect(metrics.analytics.map(\.waiting) == [1, 2])
    _ = try deliver()
    #expect(try stage.status().outcomes?.waiting == 0)
  }

  @Test func `M5: a new route of outcomes begins where the route of analytics ended`() throws {
    try stage.restart()
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:30")
    #expect(try deliver().count == 2)
    try stage.run(to: "2026-03-03 12:30")
    // The sink "lines" does not answer.
    _ = stage.world.takeAnalytics()
    stage.routes?.outcomes = "hook"
    try stage.adopt(keeping: [stage.sink.name, "lines", "hook"])
    #expect(try deliver() == ["hook sent", "hook accepted"])
  }

  @Test(arguments: [true, false])
  func `M5: without its route, the route of analytics carries what outcomes had not sent`(
    isReload: Bool
  ) throws {
    try begin()
    try switchEmail(false)
    try stage.run(to: "2026-03-02 12:30")
    try switchEmail(true)
    #expect(try deliver(without: "hook") == [changed, changed])
    stage.routes?.outcomes = nil
    if isReload {
      try stage.adopt(keeping: [stage.sink.name, "lines", "hook"])
    } else {
      try stage.restart()
    }
    #expect(try deliver() == [changed, "lines sent", "lines accepted", changed])
    try stage.run(to: "2026-03-03 12:30")
    #expect(try deliver() == ["lines sent", "lines accepted"])
  }

  @Test func `M4: a restart continues each route after its own cursor`() throws {
    try begin()
    try switchEmail(false)
    try stage.run(to: "2026-03-02 12:30")
    #expect(try deliver().count == 3)
    try stage.run(to: "2026-03-03 12:30")
    _ = stage.world.takeAnalytics()
    try stage.restart()
    #expect(try deliver() == ["hook sent", "hook accepted"])
  }
}
