import CivilTime
import Dispatch
import JSON
import Synchronization
import TestSupport
import Testing
import TraceExport

@testable import Engine

/// Rule H25: spans are sent to a collector in batches, and no caller waits for the collector.
@Suite struct OTLPExporterTests {
  private static let now = Instant(milliseconds: 1_772_452_800_000)

  private static func span(_ number: Int = 1, hasFailed: Bool = false) -> TraceSpan {
    let digits = String(number, radix: 16)
    return TraceSpan(
      trace: "4bf92f3577b34da6a3ce929d0e0e4736",
      identifier: String(repeating: "0", count: 16 - digits.count) + digits,
      parent: "00f067aa0ba902b7", name: "deliver", kind: .client, start: now - .milliseconds(5),
      end: nil, attributes: [.init(name: "chimed.sink", value: "hook")], hasFailed: hasFailed)
  }

  private static func exporter(
    to endpoint: String, timeout: Duration = .seconds(10),
    _ report: @escaping @Sendable (String, Bool) -> Void = { _, _ in }
  ) throws -> OTLPExporter {
    try OTLPExporter(to: endpoint, timeout: timeout, now: { now }, report: report)
  }

  private static func spans(_ requests: [TraceCollector.Request]) -> [JSONValue] {
    requests.flatMap { request in
      let document = try? JSONParser.parse(request.body)
      return document?["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? []
    }
  }

  /// Waits until the exporter has counted this many spans. Reading the counts sends nothing.
  private static func wait(for count: Int, _ exporter: OTLPExporter) async {
    while exporter.counts.exported + exporter.counts.dropped < count {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { continuation.resume() }
      }
    }
  }

  @Test func `H25: a span is exported as the protocol defines it`() async throws {
    let collector = try TraceCollector(answering: 200)
    let exporter = try Self.exporter(to: collector.endpoint)
    exporter.export([Self.span(hasFailed: true)])
    await Self.wait(for: 1, exporter)
    let request = try #require(collector.requests.first)
    #expect(request.head.hasPrefix("POST /v1/traces HTTP/1.1\r\n"))
    #expect(request.head.lowercased().contains("content-type: application/json"))
    #expect(
      Self.spans([request]) == [
        [
          "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "0000000000000001",
          "parentSpanId": "00f067aa0ba902b7", "name": "deliver", "kind": 3,
          "startTimeUnixNano": "1772452799995000000", "endTimeUnixNano": "1772452800000000000",
          "attributes": [["key": "chimed.sink", "value": ["stringValue": "hook"]]],
          "status": ["code": 2],
        ]
      ])
    let document = try JSONParser.parse(request.body)
    #expect(
      document["resourceSpans"]?[0]?["resource"]?["attributes"]?[0]
        == ["key": "service.name", "value": ["stringValue": "chimed"]])
    #expect(exporter.counts == SpanCounts(exported: 1))
  }

  @Test(arguments: [
    (#"{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}"#, 2),
    (#"{"partialSuccess": {"rejectedSpans": "9"}}"#, 3), (#"{"partialSuccess": {}}"#, 0),
    ("rubbish", 0), (String(repeating: "long ", count: 2_000), 0),
  ])
  func `H25: spans that an answer rejects count as dropped`(body: String, dropped: Int)
    async throws
  {
    let collector = try TraceCollector(answering: 200, with: body)
    let exporter = try Self.exporter(to: collector.endpoint)
    exporter.export((1...3).map { Self.span($0) })
    await Self.wait(for: 3, exporter)
    #expect(exporter.counts == SpanCounts(exported: 3 - dropped, dropped: dropped))
  }

  @Test func `H25: spans that arrive during a request are one batch`() async throws {
    let collector = try TraceCollector(answering: 200)
    let exporter = try Self.exporter(to: collector.endpoint)
    for number in 1...1_000 { exporter.export([Self.span(number)]) }
    await Self.wait(for: 1_000, exporter)
    let counts = collector.requests.map { Self.spans([$0]).count }
    #expect(counts.reduce(0, +) == 1_000 && counts.allSatisfy { $0 <= OTLPExporter.batchMax })
    #expect(counts.count < 1_000, "\(counts)")
    #expect(exporter.counts == SpanCounts(exported: 1_000))
  }

  @Test func `H25: a collector that does not answer delays nothing, and spans are dropped`()
    async throws
  {
    let collector = try TraceCollector(answering: nil)
    let reports = Mutex<[String]>([])
    let exporter = try Self.exporter(to: collector.endpoint, timeout: .milliseconds(200)) {
      text, _ in reports.withLock { $0.append(text) }
    }
    exporter.export([Self.span()])
    #expect(collector.wait { !$0.isEmpty })
    let limit = OTLPExporter.waitingMax
    exporter.export((0..<limit + 7).map { Self.span($0 + 2) })
    #expect(exporter.counts.dropped >= 7, "at most \(limit) spans wait")
    await Self.wait(for: limit + 8, exporter)
    #expect(exporter.counts == SpanCounts(dropped: limit + 8))
    #expect(
      reports.withLock(\.self) == [
        "traces are dropped, because the collector does not accept them: no answer before the "
          + "deadline"
      ])
  }

  @Test(
    arguments: [(503, "it answered with the status 503"), (nil, "connecting failed: ")]
      as [(Int?, String)])
  func `H25: a collector that refuses or is down is reported once`(
    status: Int?, reason: String
  ) async throws {
    let collector = try status.map { try TraceCollector(answering: $0) }
    let reports = Mutex<[String]>([])
    let exporter = try Self.exporter(to: collector?.endpoint ?? "http://127.0.0.1:1/") {
      text, isFailing in reports.withLock { $0.append(isFailing ? text : "") }
    }
    for number in 1...3 {
      exporter.export([Self.span(number)])
      await Self.wait(for: number, exporter)
    }
    #expect(exporter.counts == SpanCounts(dropped: 3))
    let texts = reports.withLock(\.self)
    #expect(texts.count == 1 && texts.allSatisfy { $0.contains(reason) }, "\(texts)")
  }
}
