import Glibc
import JSON
import TestSupport
import Testing

/// Rule H25: a service that exports traces to a collector.
@OwnThread @Suite struct TracingTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func service(tracing: String) throws -> Service {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: [imanpath]
      state-directory: \(workspace.state)
      socket: \(workspace.socket)
      sinks: {out: {type: jsonl, file: "-"}}
      tracing: \(tracing)
      """, to: file)
    let service = try Service(workspace, arguments: ["serve", "--config", file])
    try service.waitUntilReady()
    return service
  }

  /// Submits an event of the trace, and waits for its delivery.
  private func submit(to service: Service) throws {
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
      .replacing(#""data""#, with: #""traceparent":"00-\#(Self.trace)-00f067aa0ba902b7-01","data""#)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).first?["recipient"] == "r1")
  }

  private func spans(of requests: [TraceCollector.Request]) -> [JSONValue] {
    requests.flatMap { request in
      let document = try? JSONParser.parse(request.body)
      return document?["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? []
    }
  }

  /// Returns how many spans had an outcome; nil if the service has no such metric.
  private func spanCount(_ outcome: String, in service: Service) throws -> Int? {
    let metrics = try service.ask("GET", "/metrics").body.stringValue ?? ""
    let line = metrics.split(separator: "\n").first {
      $0.hasPrefix("chimed_spans_total{outcome=\"\(outcome)\"} ")
    }
    return line?.split(separator: " ").last.flatMap { Int($0) }
  }

  @Test func `H25: a collector receives the spans of an event`() throws {
    let collector = try TraceCollector(answering: 200)
    let service = try service(tracing: "{endpoint: \"\(collector.endpoint)\", sample: 1}")
    try submit(to: service)
    #expect(collector.wait { spans(of: $0).count >= 3 })
    let exported = spans(of: collector.requests)
    #expect(exported.compactMap { $0["name"] } == ["accept", "fire", "deliver"])
    #expect(exported.allSatisfy { $0["traceId"] == .string(Self.trace) })
    #expect(exported[2]["parentSpanId"] == exported[1]["spanId"])
    while try spanCount("exported", in: service) != 3 {}
    #expect(try spanCount("dropped", in: service) == 0)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `H25: a collector that is down does not disturb the service`() throws {
    let service = try service(
      tracing: "{endpoint: \"http://127.0.0.1:\(try FreePort.any())/\", sample: 1}")
    try submit(to: service)
    try service.waitUntilLogged("traces are dropped")
    #expect(try service.stop() == .exited(0))
  }

  @Test func `H25: without a collector there are no spans`() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    try submit(to: service)
    #expect(try spanCount("exported", in: service) == nil)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `H25: a wrong setting of tracing is refused with its position`() throws {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: [imanpath]
      sinks: {journal: {type: journal}}
      tracing: {endpoint: "ftp://127.0.0.1/", sample: 2}
      """, to: file)
    let check = try ChildProcess(
      Project.chimed,
      ["--check-config", "--config", file, "--state-directory", workspace.state],
      environment: ["CHIMED_CATALOGS": Project.catalogs])
    #expect(try check.finish() == .exited(78))
    let errors = String(decoding: check.errors.take(), as: UTF8.self)
    #expect(errors.contains(":3:21: endpoint must begin with"), "\(errors)")
    #expect(
      errors.contains(":3:49: sample is \"2\"; it must be a number above 0"), "\(errors)")
  }
}
