import ArgumentParser
import JSON
import Testing

@testable import chimectl

/// `chimectl top`: rates between two samples.
@Suite struct RatesTests {
  private typealias Samples = StatusSamples

  /// - Parameter late: the counts of the lateness histogram, by bucket.
  private func status(
    accepted: Int64, refused: Int64 = 0, delivered: Int64, late: [Int64], started: String? = nil
  ) throws -> StatusDocument {
    var members: JSONObject = [
      "events": [
        "accepted": .integer(accepted), "duplicate": 5, "refused": .integer(refused),
        "unanswered": 1,
      ],
      "lateness": [
        "bounds": [0.001, 0.01, 1.0], "counts": .array(late.map { .integer($0) }),
      ],
    ]
    if let started { members["started"] = .string(started) }
    let lane = Samples.lane(
      "jsonl", ["answers": Samples.answers(delivered: delivered, retried: 4, rejected: 1)])
    return try StatusDocument(Samples.status(members, lanes: [lane, Samples.stuck]))
  }

  @Test func `counters become rates over the time between samples`() throws {
    let rates = Rates(
      from: try status(accepted: 10, refused: 2, delivered: 100, late: [1, 0, 0, 0]),
      to: try status(accepted: 40, refused: 8, delivered: 125, late: [99, 1, 1, 0]),
      elapsed: .milliseconds(2_500))
    #expect(rates.seconds == 2.5 && rates.accepted == 12 && rates.unaccepted == 2.4)
    #expect(rates.delivered == 10 && rates.lanes.map(\.delivered) == [10, 0])
    #expect(rates.lanes.map(\.retried) == [0, 0])
    #expect(rates.lateness.count == 100)
    #expect(rates.lateness.bound(of: 0.5) == 0.001)
    #expect(rates.lateness.bound(of: 0.99) == 0.01)
    #expect(rates.lateness.bound(of: 1) == 1)
  }

  @Test func `after a restart, counters are counted from zero`() throws {
    let rates = Rates(
      from: try status(accepted: 1_000, delivered: 1_000, late: [50, 0, 0, 0]),
      to: try status(
        accepted: 4, delivered: 6, late: [0, 2, 0, 0], started: "2026-03-02T01:59:59.000Z"),
      elapsed: .seconds(2))
    #expect(rates.accepted == 2 && rates.delivered == 3 && rates.lateness.count == 2)
  }

  @Test func `a new sink is counted from zero`() throws {
    let before = try StatusDocument(Samples.status(lanes: []))
    let after = try status(accepted: 0, delivered: 3, late: [0, 0, 0, 0])
    #expect(Rates(from: before, to: after, elapsed: .seconds(1)).lanes.map(\.delivered) == [3, 0])
  }

  static let bounds: [(counts: [Int64], p50: String, p99: String)] = [
    ([0, 0, 0, 0], "-", "-"), ([1, 0, 0, 0], "≤ 1 ms", "≤ 1 ms"),
    ([1, 1, 0, 0], "≤ 1 ms", "≤ 10 ms"), ([50, 49, 1, 0], "≤ 1 ms", "≤ 10 ms"),
    ([50, 48, 2, 0], "≤ 1 ms", "≤ 1 s"), ([0, 0, 0, 3], "> 1 s", "> 1 s"),
  ]

  @Test(arguments: bounds)
  func `lateness is printed as an upper bound`(counts: [Int64], p50: String, p99: String) {
    let lateness = DurationHistogram(bounds: [0.001, 0.01, 1], counts: counts)
    #expect(lateness.text(of: 0.5) == p50 && lateness.text(of: 0.99) == p99)
  }

  private func report() throws -> TopReport {
    let after = try status(accepted: 40, delivered: 125, late: [99, 1, 1, 0])
    return TopReport(
      status: after,
      rates: Rates(
        from: try status(accepted: 10, delivered: 100, late: [1, 0, 0, 0]), to: after,
        elapsed: .milliseconds(2_500)))
  }

  @Test func `a sample is one line in a file`() throws {
    let line = try report().line
    #expect(line.split(separator: "\n").count == 1)
    #expect(line.hasPrefix("2026-03-02T02:00:00.000Z  0        3,000       10.0 "))
    #expect(line.contains("≤ 1 ms    ≤ 10 ms   12.0"))
    #expect(
      line.hasSuffix("jsonl 10.0/s, 0 wait, closed; webhook 0.0/s, 1,200 wait, open for 12 min\n"))
    let header = TopReport.header.split(separator: " ", omittingEmptySubsequences: true)
    #expect(header.first == "TIME" && header.last == "LANES\n")
  }

  @Test func `a sample fits the screen`() throws {
    let text = try report().text(on: Screen(width: 60, hasColour: true))
    let lines = text.replacing(/\u{1b}\[\d+m/, with: "").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { String($0).columns <= 60 }, "\(text)")
    #expect(lines[0].hasPrefix("chimed ") && lines[0].hasSuffix("…"))
    #expect(try report().text(on: .paper).contains("lateness p50 ≤ 1 ms, p99 ≤ 10 ms"))
    #expect(try report().text(on: .paper).contains(": not healthy: webhook is down\n"))
  }

  @Test func `a sample is a JSON document`() throws {
    let json = try report().json
    #expect(json["at"] == .string(Samples.now) && json["seconds"] == 2.5)
    #expect(json["deliveriesPerSecond"] == 10.0 && json["eventsPerSecond"] == 12.0)
    #expect(json["lateness"] == ["count": 100, "p50": 0.001, "p99": 0.01])
    #expect(json["lanes"]?[1]?["breaker"] == "open" && json["lanes"]?[1]?["waiting"] == 1_200)
    #expect(json["lanes"]?[0]?["deliveredPerSecond"] == 10.0)
  }

  @Test func `the first sample has no rates`() throws {
    let report = TopReport(status: try StatusDocument(Samples.status()), rates: nil)
    #expect(report.text(on: .paper).contains("deliveries -/s"))
    #expect(report.json["deliveriesPerSecond"] == .null)
  }

  @Test(arguments: [(nil, "-"), (0, "0.0"), (12.34, "12.3"), (99.94, "99.9"), (1_234.5, "1,235")])
  func `rates are printed with few digits`(rate: Double?, text: String) {
    #expect(TopReport.rate(rate) == text)
  }

  @Test(arguments: [
    ["--interval", "0"], ["--interval", "-1"], ["--count", "0"], ["--count", "x"],
  ])
  func `invalid arguments are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try TopCommand.parse(arguments) }
  }
}
