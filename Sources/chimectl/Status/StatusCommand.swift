import ArgumentParser
import CivilTime
import JSON
import Outbox
import Reminders

/// Shows the service's status.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the service's health, its next occurrences and its queues.",
    discussion: """
      Problems come first, each with advice. While a sink is down its breaker is open: its \
      deliveries wait, and single deliveries are tried from time to time. The exit code is 0 for \
      a healthy service, also if it needs attention, and otherwise 1.
      """)

  @Flag(help: "Always show each sink and its queue.")
  var lanes = false

  @OptionGroup var options: TableOptions

  /// The service restarts an engine that has not answered for about this time, in seconds.
  static let patience = 10.0

  func run() async throws {
    try await reporting(options.layout) {
      let document = try await options.answer.show(patience: Self.patience) {
        try await $0.document("/v1/status")
      } as: { document throws(Failure) in
        try StatusReport(document, showsLanes: lanes).text()
      }
      if try !StatusReport(document).isHealthy { throw ExitCode(1) }
    }
  }
}

/// The status as text: problems, the next occurrences, queues.
struct StatusReport {
  private let status: StatusDocument
  private let findings: [Finding]
  private let showsLanes: Bool

  /// - Parameters:
  ///   - document: the service's reply.
  ///   - showsLanes: whether to show each sink's lane also without problems.
  init(
    _ document: JSONValue, showsLanes: Bool = false, version: String = Version.current
  ) throws(Failure) {
    status = try StatusDocument(document)
    findings = Diagnosis(status: status, version: version).findings
    self.showsLanes = showsLanes || !findings.isEmpty
  }

  /// Whether everything works.
  var isHealthy: Bool { !findings.hasFault }

  func text(on screen: Screen = .current) -> String {
    var text = findings.style.mark(headline, on: screen) + "\n"
    if !findings.isEmpty {
      text += "\n" + findings.map { $0.text(on: screen) }.joined() + "\n"
    }
    text += summary.text(on: screen)
    if showsLanes, !status.lanes.isEmpty {
      text += "\n" + LaneTable.text(status, on: screen)
    }
    return text
  }

  private var headline: String {
    if !findings.isEmpty { return findings.headline.printable }
    return "healthy, running for \(Countdown.length(status.uptime))"
  }

  private var summary: Table {
    var table = Table()
    if !findings.isEmpty { table.add(["running for", Countdown.length(status.uptime)]) }
    table.add(["next", next])
    table.add([
      "pending", "\(Self.grouped(status.pending)), of \(Self.recipients(status.recipients))",
    ])
    if status.due > 0 { table.add(["due now", Self.recipients(status.due)]) }
    if status.replanning > 0 { table.add(["replanning", Self.recipients(status.replanning)]) }
    if !showsLanes { table.add(["sinks", status.lanes.map(\.sink).joined(separator: ", ")]) }
    if let orphans = counts(\.orphaned) {
      table.add(["orphans", orphans + ", dispatched again at the start"])
    }
    if let setAside = counts(\.setAside) {
      table.add(["quarantined", setAside + ", after repeated crashes; see the dead letters"])
    }
    if let fleet = status.fleet { table.add(["fleet", fleet.text]) }
    table.add(["catalogs", status.catalogs.joined(separator: ", ")])
    table.add(["time zones", "\(status.zoneDatabase), default \(status.defaultZone)"])
    return table
  }

  /// "12 of mail, 1 of webhook"; nil without any.
  private func counts(_ answer: KeyPath<LaneDocument.Answers, Int64>) -> String? {
    let counts = status.lanes.filter { $0.answers[keyPath: answer] > 0 }
      .map { "\(Self.grouped($0.answers[keyPath: answer])) of \($0.sink)" }
    return counts.isEmpty ? nil : counts.joined(separator: ", ")
  }

  private var next: String {
    guard let next = status.next.first else { return "nothing" }
    let countdown = Countdown.text(to: next.at, from: status.now)
    let people = (next.hasMore ? "at least " : "") + Self.recipients(next.recipients)
    return "\(next.reminder) for \(people) \(countdown), at \(next.at)"
  }

  private static func recipients(_ count: Int64) -> String {
    count == 1 ? "1 recipient" : "\(grouped(count)) recipients"
  }

  /// "1,234,567".
  static func grouped(_ number: Int64) -> String {
    var text = ""
    for (place, digit) in String(number.magnitude).reversed().enumerated() {
      if place > 0 && place.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }
}

/// Sinks with their queues, a line each.
enum LaneTable {
  /// - Parameter isWhole: whether to add the channels, and the 99th percentile of batch latency.
  static func text(_ status: StatusDocument, isWhole: Bool = false, on screen: Screen) -> String {
    let more = isWhole ? ["CARRIES", "LATENCY"] : []
    var table = Table(
      header: ["SINK"] + more + [
        "BREAKER", "WAITING", "OLDEST", "IN FLIGHT", "RETRYING", "DEAD", "LAST FAILURE",
      ])
    for lane in status.lanes {
      add(lane, isWhole ? status.channels(of: lane.sink) : nil, now: status.now, to: &table)
    }
    if let analytics = status.analytics {
      let name = "\(analytics.sink): analytics"
      add(analytics, isWhole ? "" : nil, as: name, now: status.now, to: &table)
    }
    return table.text(on: screen)
  }

  /// - Parameter carried: the sink's channels; nil in a table without that column.
  private static func add(
    _ lane: LaneDocument, _ carried: String?, as name: String? = nil, now: Instant,
    to table: inout Table
  ) {
    let more = carried.map { [$0, lane.latency.text(of: 0.99)] } ?? []
    let style: Style? = lane.isPaused ? .doubtful : lane.isFailing ? .bad : nil
    table.add(
      [name ?? lane.sink] + more + cells(lane, now: now),
      styles: style.map { [more.count + 1: $0] } ?? [:])
  }

  private static func cells(_ lane: LaneDocument, now: Instant) -> [String] {
    let failure = lane.lastFailure.map {
      "\(Countdown.text(to: $0.at, from: now)): \($0.reason)"
    }
    return [
      lane.breakerText(now: now), StatusReport.grouped(lane.waiting),
      lane.oldestWaiting.map { Countdown.length(from: $0, to: now) } ?? "-",
      StatusReport.grouped(lane.inFlight), StatusReport.grouped(lane.retrying),
      StatusReport.grouped(lane.deadLetters), failure ?? "",
    ]
  }
}
