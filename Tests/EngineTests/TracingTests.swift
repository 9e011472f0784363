import CivilTime
import JSON
import Outbox
import Reminders
import Synchronization
import Testing

@testable import Engine

/// Rule H25: the spans of an event from its acceptance to its deliveries.
@Suite struct TracingTests {
  private final class Recorder: SpanExporter {
    private let recorded = Mutex<[TraceSpan]>([])

    var spans: [TraceSpan] { recorded.withLock(\.self) }
    var counts: SpanCounts { SpanCounts() }

    func export(_ spans: [TraceSpan]) { recorded.withLock { $0 += spans } }
  }

  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parent = "00f067aa0ba902b7"
  private let recorder = Recorder()

  private func stage(share: Double = 1) throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try startTracing(stage, share: share)
    return stage
  }

  private func startTracing(_ stage: Stage, share: Double = 1) throws {
    try stage.core().tracer = Tracer(TraceSampler(share: share), recorder)
  }

  /// Submits an event of a trace, which causes a notification a second later.
  private func submit(
    to stage: Stage, _ identifier: String = "e1", of recipient: String = "amina"
  ) throws {
    var event = try Fixtures.event(
      identifier, "milestone.reached", of: recipient, at: stage.now, ["days": 7],
      planner: stage.planner)
    event.trace = TraceContext(parent: "00-\(Self.trace)-\(Self.parent)-01")
    _ = try stage.submit([event])
  }

  private func attributes(_ span: TraceSpan) -> [String: String] {
    Dictionary(span.attributes.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test func `H25: an event's acceptance, decision and delivery are one trace`() throws {
    let stage = try stage()
    try submit(to: stage)
    try stage.run(to: "2026-03-02 09:05")
    let spans = recorder.spans
    #expect(spans.map(\.name) == ["accept", "fire", "deliver"])
    #expect(spans.allSatisfy { $0.trace == Self.trace })
    #expect(Set(spans.map(\.identifier)).count == 3)
    #expect(spans.map(\.parent) == [Self.parent, Self.parent, spans[1].identifier])
    #expect(attributes(spans[0])["cloudevents.event_type"] == "milestone.reached")
    let fire = attributes(spans[1])
    #expect(fire["chimed.reminder"] == "milestone-7" && fire["chimed.verdict"] == "sent")
    let attempt = attributes(spans[2])
    #expect(attempt["chimed.sink"] == "test" && attempt["chimed.verdict"] == "delivered")
    #expect(attempt["chimed.channel"] == "push" && !spans[2].hasFailed)
  }

  @Test func `H25: spans contain no recipient and no text`() throws {
    let stage = try stage()
    try submit(to: stage)
    try stage.run(to: "2026-03-02 09:05")
    let delivery = try #require(stage.delivered.first)
    for value in recorder.spans.flatMap(\.attributes).map(\.value) {
      #expect(!value.contains("amina") && !value.contains(delivery.title))
      #expect(value != delivery.body)
    }
  }

  @Test func `H25: each attempt has a span, which has failed if the delivery was not accepted`()
    throws
  {
    let stage = try stage()
    stage.reply = Stage.failing
    try submit(to: stage)
    try stage.run(to: "2026-03-02 09:00:02")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: stage.now + .minutes(10))
    let first = recorder.spans.filter { $0.name == "deliver" }
    #expect(attributes(try #require(first.first))["chimed.verdict"] == "outage")
    #expect(attributes(try #require(first.last))["chimed.verdict"] == "retry")
    #expect(first.allSatisfy { $0.hasFailed })
    stage.reply = Stage.accepting
    try stage.restart()
    try startTracing(stage)
    try stage.run(to: stage.now + .hours(1))
    let all = recorder.spans.filter { $0.name == "deliver" }
    #expect(attributes(try #require(all.last))["chimed.verdict"] == "delivered")
    #expect(Set(all.map(\.parent)).count == 1, "the parent is the same after a restart")
    #expect(Set(all.map(\.identifier)).count == all.count)
  }

  @Test func `H25: a held occurrence has a span for the hold and one for the end`() throws {
    let stage = try stage()
    let quiet: JSONValue = ["quietHours": ["enabled": true, "start": "08:00", "end": "10:00"]]
    try stage.take("preferences.updated", quiet)
    try submit(to: stage)
    try stage.run(to: "2026-03-02 10:05")
    let fireAttributes = recorder.spans.filter { $0.name == "fire" }.map(attributes)
    #expect(fireAttributes.map { $0["chimed.verdict"] } == ["held", "sent"])
    #expect(fireAttributes.map { $0["chimed.gates"] } == ["quiet_hours", "quiet_hours"])
  }

  @Test func `H25: the holds of several recipients in one trace have different spans`() throws {
    let stage = try stage()
    let quiet: JSONValue = ["quietHours": ["enabled": true, "start": "08:00", "end": "10:00"]]
    for name in ["amina", "bilal"] {
      try stage.take("preferences.updated", quiet, of: name)
      try submit(to: stage, "e of \(name)", of: name)
    }
    try stage.run(to: "2026-03-02 09:05")
    let holds = recorder.spans.filter { $0.name == "fire" }
    #expect(holds.map(attributes).map { $0["chimed.verdict"] } == ["held", "held"])
    #expect(Set(holds.map(\.identifier)).count == 2)
  }

  @Test func `H25: a span names no recipient as the source of an event`() throws {
    let stage = try stage()
    let content = try Fixtures.event(
      "e1", "milestone.reached", of: "amina", at: stage.now, ["days": 7], planner: stage.planner
    ).content
    var event = Event(
      identifier: "e1", source: "recipient:amina/app", type: "milestone.reached",
      recipient: "amina", time: stage.now, isTimeGiven: true, content: content)
    event.trace = TraceContext(parent: "00-\(Self.trace)-\(Self.parent)-01")
    _ = try stage.submit([event])
    let accept = try #require(recorder.spans.first)
    #expect(attributes(accept)["cloudevents.event_type"] == "milestone.reached")
    #expect(attributes(accept)["cloudevents.event_source"] == nil)
  }

  @Test func `H25: duplicates, refused events and events without a trace have no spans`() throws {
    let stage = try stage()
    try submit(to: stage)
    try submit(to: stage)
    try stage.take("relapse")
    #expect(recorder.spans.map(\.name) == ["accept"])
  }

  @Test func `H25: a trace that is not sampled exports no span`() throws {
    let stage = try stage(share: 0)
    try submit(to: stage)
    try stage.run(to: "2026-03-02 09:05")
    #expect(stage.delivered.count == 1 && recorder.spans.isEmpty)
  }

  @Test(arguments: [
    ("00000000000000", 1.0, true), ("ffffffffffffff", 0.0, false), ("80000000000000", 0.5, true),
    ("7fffffffffffff", 0.5, false), ("fd70a3d70a3d80", 0.01, true),
    ("fd000000000000", 0.01, false), ("fd000000000000", 0.02, true),
  ])
  func `H25: the last digits of a trace's id decide whether it is sampled`(
    digits: String, share: Double, isSampled: Bool
  ) throws {
    let trace = try #require(
      TraceContext(parent: "00-0123456789abcdef0a\(digits)-\(Self.parent)-00"))
    #expect(TraceSampler(share: share).isSampled(trace) == isSampled)
  }
}
