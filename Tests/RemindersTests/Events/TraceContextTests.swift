import CivilTime
import JSON
import Reminders
import Testing

/// Rule H8: the extensions of an event, and its trace.
@Suite struct TraceContextTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nX: y",
  ])
  func `H8: an invalid trace is rejected`(text: String) {
    #expect(TraceContext(parent: text) == nil)
  }

  @Test(arguments: [
    ("a=b", "a=b"), ("a=b c", "a=b c"), ("", nil), (" a=b", nil), ("a=b\nc", nil), ("ä=b", nil),
    (String(repeating: "a", count: 513), nil),
  ])
  func `H8: a valid trace state is stored with its trace`(state: String, storedState: String?)
    throws
  {
    let context = try #require(TraceContext(parent: Self.parent, state: state))
    #expect(context.state == storedState)
    #expect(TraceContext(text: context.text) == context)
  }

  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, channels: {push: true}}
    groups:
      notes: {enabled: true}
    events:
      thing.bought: {thing: identifier}
    reminders:
      thanks: {category: NOTE, group: notes, expires: 1h,
        on: {event: thing.bought, delay: 0s}, messages: [{title: Thanks, body: For it.}]}
      nightly: {category: NOTE, group: notes, expires: 1h,
        every: {day: {at: "23:00"}}, messages: [{title: Night, body: It is.}]}
    """

  private static func event(
    _ id: String, _ type: String, _ data: JSONValue, trace: Int?
  ) throws -> Event {
    var object: JSONObject = [
      "specversion": "1.0", "id": .string(id), "source": "app", "type": .string(type),
      "subject": "amina", "time": "2026-03-02T09:00:00Z", "data": data,
    ]
    object["traceparent"] = trace.map { .string(parent(of: $0)) }
    let planner = try Fixtures.planner(catalog: catalog)
    return try EventReader(planner: planner).event(.object(object), now: nil)
  }

  /// Returns the `traceparent` of the trace with a number.
  private static func parent(of number: Int) -> String {
    let digits = String(number, radix: 16)
    let trace = String(repeating: "0", count: 32 - digits.count) + digits
    return "00-\(trace)-00f067aa0ba902b7-01"
  }

  /// Returns a line for each delivery to a recipient with these events: the title, and the number
  /// of the delivery's trace, or "-".
  private static func deliveries(_ events: [Event]) throws -> [String] {
    let planner = try Fixtures.planner(catalog: catalog)
    var recipient = Recipient(name: "amina", now: try utc("2026-03-02 08:00"))
    var deliveries: [String] = []
    for (order, event) in zip(Int64(1)..., events) {
      recipient.apply(event, order: order, now: event.time, planner: planner)
      let facts = try recipient.facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
      recipient = Recipient(name: "amina", facts: facts, progress: recipient.progress)
    }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    for firing in recipient.fire(now: try utc("2026-03-03 00:00"), planner: planner).firings {
      let message = try #require(context.message(of: firing))
      let trace = message.trace.map { $0.parent.split(separator: "-")[1].drop { $0 == "0" } }
      deliveries.append("\(message.title) \(trace ?? "-")")
    }
    return deliveries.sorted()
  }

  @Test func `H8: a delivery has the trace of the event that caused it`() throws {
    let request: JSONValue = ["category": "NOTE", "title": "Asked", "body": "-"]
    let events = [
      try Self.event("1", "notification.requested", request, trace: 1),
      try Self.event("2", "thing.bought", ["thing": "a"], trace: 2),
      try Self.event("3", "thing.bought", ["thing": "b"], trace: nil),
      try Self.event("4", "recipient.updated", ["locale": "en"], trace: 4),
    ]
    #expect(try Self.deliveries(events) == ["Asked 1", "Night -", "Thanks -", "Thanks 2"])
  }

  @Test func `H8: all pending requests and the latest 16 other events keep their traces`() throws {
    let request: JSONValue = [
      "category": "NOTE", "title": "Asked", "body": "-", "at": "2026-03-02T22:00:00Z",
    ]
    var facts = Facts()
    var order: Int64 = 0
    func fold(_ type: String, _ data: JSONValue) throws {
      order += 1
      let event = try Self.event("\(order)", type, data, trace: Int(order))
      facts.fold(event, order: order, memory: nil)
    }
    for _ in 0..<3 { try fold("notification.requested", request) }
    for _ in 0..<100 { try fold("thing.bought", ["thing": "a"]) }
    #expect(facts.traces.map(\.order) == Array(1...3) + Array(88...103))
  }

  @Test func `H8: extensions are accepted, and misspelled attributes are not`() throws {
    func refusalText(_ name: String, _ value: JSONValue) throws -> String? {
      var object: JSONObject = [
        "specversion": "1.0", "id": "1", "source": "app", "type": "relapse", "subject": "amina",
        "time": "2026-03-02T09:00:00Z",
      ]
      object[name] = value
      do {
        _ = try EventReader(planner: Fixtures.planner()).event(.object(object), now: nil)
        return nil
      } catch let refusal as Refusal {
        return refusal.description
      }
    }
    for value: JSONValue in ["x", true, 7, nil] {
      #expect(try refusalText("partitionkey", value) == nil)
    }
    #expect(try refusalText("traceparent", "nonsense") == nil)
    #expect(
      try refusalText("partitionkey", [])
        == "partitionkey must be a string, a boolean or an integer, "
        + "as every extension of an event")
    #expect(
      try refusalText("tiem", "x") == "tiem is not a member of an event; did you mean \"time\"?")
    #expect(
      try refusalText("partition_key", "x")
        == "partition_key is not a member of an event; a name of "
        + "an extension has lower-case letters and digits")
  }
}
