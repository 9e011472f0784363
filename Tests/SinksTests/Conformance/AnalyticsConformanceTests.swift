import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Testing

/// The contract of every sink that accepts analytics events (rule M1).
@Suite struct AnalyticsConformanceTests {
  private static let analyticsCases = SinkCase.all.filter { sinkCase in
    SinkTypes.all.contains { $0.type == sinkCase.name && $0.acceptsAnalytics }
  }

  private func events(_ numbers: ClosedRange<Int64>) -> [AnalyticsItem] {
    numbers.map { number in
      let event = AnalyticsEvent(
        time: Fixtures.noon, name: "dnd_enabled", parameters: Array("{\"n\":\(number)}".utf8))
      let record = AnalyticsRecord(number: number, recipient: "amina", event: event)
      return AnalyticsItem(instance: "store", record)
    }
  }

  private func sink(of trial: SinkTrial) throws -> any AnalyticsSink {
    try #require(trial.sink as? any AnalyticsSink)
  }

  @Test(arguments: SinkCase.all)
  func `M1: exactly the documented sinks accept analytics events`(_ sinkCase: SinkCase) async throws
  {
    let trial = try await SinkTrial(sinkCase)
    let acceptsAnalytics = Self.analyticsCases.contains { $0.name == sinkCase.name }
    #expect((trial.sink is any AnalyticsSink) == acceptsAnalytics)
  }

  @Test(arguments: analyticsCases) func `M1: analytics events arrive in order`(_ sinkCase: SinkCase)
    async throws
  {
    let trial = try await SinkTrial(sinkCase)
    let sink = try sink(of: trial)
    #expect(try await sink.deliver([]) == [])
    for batch: ClosedRange<Int64> in [1...1, 2...20] {
      let answers = try await sink.deliver(events(batch))
      #expect(answers.map(\.verdict) == batch.map { _ in .delivered })
    }
    #expect(try await trial.arrivedIdentifiers() == (1...20).map { "store-a\($0)" })
    // Deliveries use the same sink.
    let answers = try await trial.deliver([Fixtures.delivery(1)])
    #expect(answers.map(\.isDelivered) == [true])
    #expect(try await trial.arrivedIdentifiers().last == "store-1")
  }

  @Test(arguments: analyticsCases.filter { $0.traits.contains(.refuses) })
  func `M1: the rejection of one event does not affect the others`(
    _ sinkCase: SinkCase
  ) async throws {
    let trial = try await SinkTrial(sinkCase)
    try await trial.peer.refuse("store-a2")
    let answers = try await sink(of: trial).deliver(events(1...3))
    try #require(answers.map(\.isDelivered) == [true, false, true])
    guard case .rejected = answers[1].verdict else {
      Issue.record("\(answers[1].verdict)")
      return
    }
  }

  @Test(arguments: analyticsCases.filter { $0.traits.contains(.disconnects) })
  func `D3: an absent service is an outage until it is back`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    try await trial.peer.disconnect()
    await #expect(throws: SinkOutage.self) { try await sink(of: trial).deliver(events(1...3)) }
    try await trial.peer.reconnect()
    let answers = try await sink(of: trial).deliver(events(1...3))
    #expect(answers.map(\.verdict) == [.delivered, .delivered, .delivered])
    #expect(try await trial.arrivedIdentifiers() == (1...3).map { "store-a\($0)" })
  }

  /// After an event without an answer, no later event is sent.
  @Test(arguments: analyticsCases.filter { $0.traits.contains(.stalls) })
  func `M1: no event overtakes one that is retried`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase, deadline: .milliseconds(200))
    try await trial.peer.stall()
    let answers = try await sink(of: trial).deliver(events(1...3))
    #expect(answers.count == 1)
    guard case .retry? = answers.first?.verdict else {
      Issue.record("\(answers)")
      return
    }
  }
}
