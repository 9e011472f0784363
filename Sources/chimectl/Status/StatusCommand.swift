import ArgumentParser
import CivilTime

/// Shows the service's status.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the service's health, its next occurrences and its queues.",
    discussion: """
      Problems come first, each with advice. While a sink is down its breaker is open: its \
      deliveries wait, and single deliveries are tried from time to time. The exit code is 0 if \
      the service is healthy, even if it needs attention; otherwise it is 1.
      """)

  @Flag(help: "Always show each sink and its queue.")
  var lanes = false

  @OptionGroup var options: TableOptions

  /// The timeout of a request, in seconds: less than the watchdog's limit, so that a hanging engine
  /// is reported before the service is restarted.
  static let timeout = 10.0

  func run() async throws {
    try await reporting(options.layout) {
      let document = try await options.answer.show(timeout: Self.timeout) {
        try await $0.document("/v1/status")
      } as: { document throws(CommandError) in
        try StatusReport(document, showsLanes: lanes).text()
      }
      if try !StatusReport(document).isHealthy { throw ExitCode(1) }
    }
  }
}

/// The table of sinks and their queues, with a line for each sink.
enum LaneTable {
  /// - Parameter isDetailed: whether to add the channels, and the 99th percentile of batch latency.
  static func text(
    _ status: StatusDocument, isDetailed: Bool = false, on screen: Screen
  ) -> String {
    let details = isDetailed ? ["CARRIES", "LATENCY"] : []
    var table = Table(
      header: ["SINK"] + details + [
        "BREAKER", "WAITING", "OLDEST", "IN FLIGHT", "RETRYING", "DEAD", "LAST FAILURE",
      ])
    for lane in status.lanes {
      add(lane, isDetailed ? status.channels(of: lane.sink) : nil, now: status.now, to: &table)
    }
    for (lane, content) in [(status.analytics, "analytics"), (status.outcomes, "outcomes")] {
      guard let lane else { continue }
      let name = "\(lane.sink): \(content)"
      add(lane, isDetailed ? "" : nil, as: name, now: status.now, to: &table)
    }
    return table.text(on: screen)
  }

  /// - Parameter channels: the sink's channels; nil in a table without that column.
  private static func add(
    _ lane: LaneDocument, _ channels: String?, as name: String? = nil, now: Instant,
    to table: inout Table
  ) {
    let details = channels.map { [$0, lane.latency.text(of: 0.99)] } ?? []
    let style: Style? = lane.isPaused ? .doubtful : lane.isFailing ? .bad : nil
    table.add(
      [name ?? lane.sink] + details + cells(lane, now: now),
      styles: style.map { [details.count + 1: $0] } ?? [:])
  }

  private static func cells(_ lane: LaneDocument, now: Instant) -> [String] {
    let failure = lane.lastFailure.map {
      "\(TimeDistance.text(to: $0.at, from: now)): \($0.reason)"
    }
    return [
      lane.breakerText(now: now), StatusReport.grouped(lane.waiting),
      lane.oldestWaiting.map { TimeDistance.length(from: $0, to: now) } ?? "-",
      StatusReport.grouped(lane.inFlight), StatusReport.limited(lane.retrying),
      StatusReport.limited(lane.deadLetters), failure ?? "",
    ]
  }
}
