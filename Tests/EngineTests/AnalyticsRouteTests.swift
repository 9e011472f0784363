import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule M1: analytics events go to the sink of their route.
@Suite struct AnalyticsRouteTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
    stage.routes = Routes([.push: ["test"]], analytics: "test")
    try stage.restart()
  }

  /// Changes a switch, which writes one analytics event.
  private func switchEmail(_ isOn: Bool, of recipient: String = "amina") throws {
    try stage.take("preferences.updated", ["channels": ["email": .bool(isOn)]], of: recipient)
  }

  /// Returns the events that were sent since the last call: "a1 amina false".
  private func takeSent() -> [String] {
    stage.world.takeAnalytics().flatMap { batch in
      batch.events.map { event in
        let isOn = String(decoding: event.record.event.parameters, as: UTF8.self).contains("true")
        let number = event.identifier.split(separator: "-").last ?? ""
        return "\(number) \(event.record.recipient) \(isOn)"
      }
    }
  }

  private func answer(_ result: Result<[SinkAnswer], SinkOutage>) throws {
    let lane = try #require(stage.core().outbox.dispatcher.analytics[.analytics]?.number)
    try stage.turn([.analyticsAnswered(lane: lane, result)])
  }

  /// Answers that the sink has accepted this number of events.
  private func accept(_ count: Int) throws {
    try answer(.success(Array(repeating: .delivered, count: count)))
  }

  private func lane() throws -> ServiceStatus.Lane { try #require(try stage.status().analytics) }

  @Test func `M1: events are sent in order, and once if nothing fails`() throws {
    try switchEmail(false)
    #expect(takeSent() == ["a1 amina false"])
    try switchEmail(true)
    try switchEmail(false, of: "bilal")
    #expect(takeSent() == [], "the sink has not answered")
    try accept(1)
    #expect(takeSent() == ["a2 amina true", "a3 bilal false"])
    try accept(2)
    #expect(takeSent() == [])
    let lane = try lane()
    #expect(lane.waiting == 0 && lane.answers.delivered == 3 && lane.oldestWaiting == nil)
  }

  @Test func `M1: an event without an answer is sent again after a crash`() throws {
    try switchEmail(false)
    try switchEmail(true)
    #expect(takeSent() == ["a1 amina false"])
    try accept(1)
    #expect(takeSent() == ["a2 amina true"])
    try stage.crash()
    try stage.turn()
    #expect(takeSent() == ["a2 amina true"])
    try accept(1)
    try stage.restart()
    try stage.turn()
    #expect(takeSent() == [], "the lane's cursor is on disk")
  }

  @Test func `M1: no delivery waits for analytics events`() throws {
    try switchEmail(false)
    #expect(takeSent().count == 1)
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:01")
    #expect(stage.delivered.count == 1)
    #expect(try lane().inFlight == 1)
  }

  @Test func `H4: an erased recipient's waiting events are not sent`() throws {
    try switchEmail(false, of: "bilal")
    #expect(takeSent() == ["a1 bilal false"])
    try switchEmail(false)
    try switchEmail(true, of: "bilal")
    try stage.take("recipient.deleted", of: "amina")
    try accept(1)
    #expect(takeSent() == ["a3 bilal true"])
  }

  @Test func `D3: events wait until an outage is over`() throws {
    try switchEmail(false)
    _ = takeSent()
    try answer(.failure(SinkOutage("away")))
    #expect(takeSent() == [])
    let failing = try lane()
    #expect(failing.failure == "away" && failing.waiting == 1 && failing.breaker == .open)
    #expect(failing.oldestWaiting == stage.now)
    let wake = try #require(try stage.core().nextWake(now: stage.now))
    try stage.run(to: wake)
    #expect(takeSent() == ["a1 amina false"])
    try accept(1)
    #expect(try lane().failure == nil)
  }

  @Test func `D3: events for a paused sink wait`() throws {
    #expect(try stage.ask { .pauseSink("test", true, $0) })
    try switchEmail(false)
    #expect(takeSent() == [])
    #expect(try lane().isPaused && lane().waiting == 1)
    #expect(try stage.core().nextWake(now: stage.now).map { $0 > stage.now } ?? true)
    #expect(try stage.ask { .pauseSink("test", false, $0) })
    #expect(takeSent() == ["a1 amina false"])
  }

  @Test func `S1: a changed route continues where the previous route ended`() throws {
    try switchEmail(false)
    try switchEmail(true)
    #expect(takeSent() == ["a1 amina false"])
    let previousLane = try #require(stage.core().outbox.dispatcher.analytics[.analytics]?.number)
    stage.others = [NamedSink(name: "hook")]
    stage.routes?.analytics = "hook"
    try stage.adopt(keeping: ["test"])
    #expect(takeSent() == ["a1 amina false", "a2 amina true"], "the first event had no answer")
    #expect(stage.world.closed.contains(previousLane))
    try stage.turn([.analyticsAnswered(lane: previousLane, .success([.delivered]))])
    #expect(try lane().sink == "hook" && lane().waiting == 2, "the old answer is ignored")
    try accept(2)
    #expect(try lane().waiting == 0)
  }

  @Test func `S1: an unchanged sink keeps its batch in flight`() throws {
    try switchEmail(false)
    #expect(takeSent().count == 1)
    try stage.adopt(keeping: ["test"])
    #expect(takeSent() == [])
    try accept(1)
    #expect(try lane().answers.delivered == 1)
  }

  @Test func `S1: a route sends only events that are written after the route was added`() throws {
    stage.routes?.analytics = nil
    try stage.adopt(keeping: ["test"])
    try switchEmail(false)
    #expect(takeSent() == [])
    #expect(try stage.status().analytics == nil)
    stage.routes?.analytics = "test"
    try stage.adopt(keeping: ["test"])
    #expect(takeSent() == [])
    try switchEmail(true)
    #expect(takeSent() == ["a2 amina true"])
  }

  @Test func `H7: events that no sink has accepted are kept for twice the retention`() throws {
    var retention = Retention()
    retention.analytics = .days(10)
    try stage.core().maintenance.pruning.retention = retention
    try switchEmail(false)
    try switchEmail(true)
    _ = takeSent()
    try accept(1)
    let storedEvents = {
      try stage.core().store.commit { try $0.analytics(of: nil, after: 0, limit: 9) }
    }
    // The second event is in flight at the sink, which does not answer.
    try stage.run(to: "2026-03-13 12:00")
    #expect(try storedEvents().map(\.number) == [2])
    try stage.run(to: "2026-03-21 12:00")
    #expect(try storedEvents().map(\.number) == [2])
    try stage.run(to: "2026-03-23 12:00")
    #expect(try storedEvents().isEmpty)
  }

  @Test func `the metrics show waiting events and their age`() throws {
    try switchEmail(false)
    stage.set(clock: stage.now + .minutes(5))
    let metrics = try stage.core().metrics(now: stage.now)
    let lane = try #require(metrics.analytics.first)
    #expect(lane.waiting == 1 && lane.oldest == .minutes(5) && lane.sink == "test")
    #expect(metrics.analytics.count == 1)
  }
}
