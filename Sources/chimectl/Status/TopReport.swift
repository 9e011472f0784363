import JSON
import Outbox
import Reminders

/// A sample of the service's activity.
struct TopReport {
  let status: StatusDocument
  /// Rates since the previous sample; nil for the first.
  let rates: Rates?

  // MARK: - On a terminal

  /// The text for the whole screen.
  func text(on screen: Screen) -> String {
    let findings = Diagnosis(status: status, version: Version.current).findings
    let head =
      "chimed \(status.version), running for \(TimeDistance.length(status.uptime)), "
      + "at \(status.now): "
    let headline = (head + findings.headline).printable.cut(to: screen.width ?? .max)
    return [
      findings.style.mark(headline, on: screen), Self.cut(counts, to: screen),
      Self.cut(rateText + histogram(on: screen), to: screen), "", lanes(on: screen),
    ].joined(separator: "\n")
  }

  private static func cut(_ text: String, to screen: Screen) -> String {
    text.cut(to: screen.width ?? .max)
  }

  private var counts: String {
    "due \(grouped(status.due))  pending \(grouped(status.pending))  "
      + "replanning \(grouped(status.replanning))  "
      + "dead letters \(StatusReport.limited(status.deadLetters))"
      + (status.fleet.map { "  fleet \($0.text)" } ?? "")
  }

  private var rateText: String {
    "deliveries \(Self.rate(rates?.delivered))/s  events \(Self.rate(rates?.accepted))/s  "
      + "not accepted \(Self.rate(rates?.unaccepted))/s  "
      + "lateness p50 \(lateness(0.5)), p99 \(lateness(0.99))"
  }

  /// Returns the lateness as a sparkline; empty if the screen cannot draw it.
  private func histogram(on screen: Screen) -> String {
    guard screen.drawsStrips, let lateness = rates?.lateness, lateness.count > 0 else { return "" }
    return "  " + lateness.sparkline
  }

  private func lanes(on screen: Screen) -> String {
    var table = Table(header: [
      "SINK", "BREAKER", "WAITING", "OLDEST", "IN FLIGHT", "RETRYING", "DELIVERED/S", "RETRIED/S",
      "REJECTED/S", "LAST FAILURE",
    ])
    for (index, lane) in status.lanes.enumerated() {
      let rates = rates?.lanes[index]
      let failure = lane.lastFailure.map {
        "\(TimeDistance.text(to: $0.at, from: status.now)): \($0.reason)"
      }
      table.add(
        [
          lane.sink, lane.breakerText(now: status.now), grouped(lane.waiting),
          lane.oldestWaiting.map { TimeDistance.length(from: $0, to: status.now) } ?? "-",
          grouped(lane.inFlight), StatusReport.limited(lane.retrying), Self.rate(rates?.delivered),
          Self.rate(rates?.retried), Self.rate(rates?.rejected), failure ?? "",
        ], styles: lane.isFailing ? [1: .bad] : [:])
    }
    return table.cut(to: screen)
  }

  private func lateness(_ quantile: Double) -> String { rates?.lateness.text(of: quantile) ?? "-" }

  private func grouped(_ number: Int64) -> String { StatusReport.grouped(number) }

  /// Returns a text such as "12.5" or "1,200"; a dash if there is no previous sample.
  static func rate(_ rate: Double?) -> String {
    guard let rate else { return "-" }
    guard rate < 100 else { return StatusReport.grouped(Int64(rate.rounded())) }
    let tenths = Int64((rate * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  // MARK: - In a file

  static let columns: [(name: String, width: Int)] = [
    ("TIME", 24), ("DUE", 7), ("PENDING", 10), ("DELIVERIES/S", 12), ("P50", 8), ("P99", 8),
    ("EVENTS/S", 8), ("LANES", 0),
  ]

  static var header: String { row(columns.map(\.name)) }

  /// The sample as a line.
  var line: String {
    let lanes = status.lanes.enumerated().map { index, lane in
      "\(lane.sink) \(Self.rate(rates?.lanes[index].delivered))/s, "
        + "\(grouped(lane.waiting)) wait, \(lane.breakerText(now: status.now))"
    }
    return Self.row([
      "\(status.now)", grouped(status.due), grouped(status.pending), Self.rate(rates?.delivered),
      lateness(0.5), lateness(0.99), Self.rate(rates?.accepted),
      lanes.joined(separator: "; ").printable,
    ])
  }

  private static func row(_ cells: [String]) -> String {
    zip(cells, columns).map { $0.padded(to: $1.width) }.joined(separator: "  ") + "\n"
  }
}

extension TopReport {
  /// The sample as JSON.
  var json: JSONValue {
    [
      "at": .string("\(status.now)"), "seconds": number(rates?.seconds),
      "due": .integer(status.due), "pending": .integer(status.pending),
      "replanning": .integer(status.replanning), "deadLetters": .integer(status.deadLetters),
      "deliveriesPerSecond": number(rates?.delivered), "eventsPerSecond": number(rates?.accepted),
      "turnedAwayPerSecond": number(rates?.unaccepted),
      "lateness": [
        "count": .integer(rates?.lateness.count ?? 0),
        "p50": number(rates?.lateness.bound(of: 0.5)),
        "p99": number(rates?.lateness.bound(of: 0.99)),
      ],
      "lanes": .array(zip(status.lanes, rates?.lanes ?? []).map(lane)),
    ]
  }

  private func lane(_ lane: LaneDocument, _ rates: Rates.Lane) -> JSONValue {
    [
      "sink": .string(lane.sink), "breaker": .string(lane.breaker.rawValue),
      "waiting": .integer(lane.waiting), "inFlight": .integer(lane.inFlight),
      "retrying": .integer(lane.retrying), "deadLetters": .integer(lane.deadLetters),
      "oldestWaiting": lane.oldestWaiting.map { .string("\($0)") } ?? .null,
      "deliveredPerSecond": number(rates.delivered), "retriedPerSecond": number(rates.retried),
      "rejectedPerSecond": number(rates.rejected), "outagesPerSecond": number(rates.outages),
    ]
  }

  /// Returns null for nil and for an infinite value.
  private func number(_ value: Double?) -> JSONValue {
    value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
  }
}
