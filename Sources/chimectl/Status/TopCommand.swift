import ArgumentParser
import JSON

/// Shows what the service is at, again and again.
struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show what the service is at, again and again.",
    discussion: """
      chimectl top
      chimectl top --interval 10 >>chimed.log
      chimectl top --count 5 --json | jq .deliveriesPerSecond

      Until q or Control-C. Rates are of the time since the sample before. Lateness is how long \
      after a recipient's instant their turn came; p50 and p99 are told as the bound that so many \
      of the interval did not exceed. With --json a sample is a line: in seconds, null where \
      there was nothing to count or where it was later than 12 hours.
      """)

  @Option(help: ArgumentHelp("How many seconds from sample to sample.", valueName: "seconds"))
  var interval = 1.0

  @Option(help: ArgumentHelp("End after so many samples.", valueName: "number"))
  var count: Int?

  @Flag(help: "Print each sample as JSON, on a line of its own.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard interval >= 0.1, interval <= 86_400 else {
      throw ValidationError("--interval is from 0.1 to 86400 seconds.")
    }
    guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count is at least 1.") }
  }

  func run() async throws {
    try await reporting {
      try await connection.withClient(patience: StatusCommand.patience) { client in
        guard !json, Console.screen.canRedraw else {
          FullScreen.endQuietly()
          return try await sample(client, to: json ? printJSON : printLine)
        }
        let screen = FullScreen()
        defer { screen.leave() }
        try await sample(client) { screen.draw($0?.text(on: Console.screen) ?? Self.away) }
      }
    }
  }

  private static let away = "The service is away; waiting for it.\n"

  /// - Parameter show: shows a sample, or, with nil, that the service is away. The first sample has
  ///   no rates yet, and does not count.
  private func sample(_ client: ServiceClient, to show: (TopReport?) -> Void) async throws {
    let clock = ContinuousClock()
    var due = clock.now
    var earlier: (status: StatusDocument, at: ContinuousClock.Instant)?
    var (left, isAway) = (count, false)
    while left != 0 {
      do throws(Failure) {
        let status = try StatusDocument(try await client.document("/v1/status"))
        let now = clock.now
        let rates = earlier.map {
          Rates(from: $0.status, to: status, elapsed: $0.at.duration(to: now))
        }
        show(TopReport(status: status, rates: rates))
        if rates != nil { left = left.map { $0 - 1 } }
        (earlier, isAway) = ((status, now), false)
      } catch {
        // A service that is restarted is waited for.
        guard error.isPassing, earlier != nil else { throw error }
        if !isAway { show(nil) }
        isAway = true
      }
      guard left != 0 else { return }
      due += .seconds(interval)
      if due < clock.now { due = clock.now + .seconds(interval) }
      if try await Keys.quits(before: due) { return }
    }
  }

  private func printJSON(_ report: TopReport?) {
    guard let report else { return Console.printError(Self.away) }
    if report.rates != nil { Console.passOn("\(report.json)\n") }
  }

  private func printLine(_ report: TopReport?) {
    guard let report else { return Console.printError(Self.away) }
    Console.passOn(report.rates == nil ? TopReport.header : report.line)
  }
}

/// How much the service did between two looks at what it has counted.
struct Rates {
  /// Of one sink, a second.
  struct Lane {
    let sink: String
    let delivered: Double
    let retried: Double
    let rejected: Double
    let outages: Double
  }

  /// How many seconds lay between the two.
  let seconds: Double
  /// Events taken in, a second.
  let accepted: Double
  /// Events refused or not looked at, a second.
  let turnedAway: Double
  /// How late those were who had their turn in between.
  let lateness: LatenessCounts
  /// As the later one has them.
  let lanes: [Lane]

  /// Deliveries that sinks took, a second.
  var delivered: Double { lanes.reduce(0) { $0 + $1.delivered } }

  /// - Parameter elapsed: how long it was from the one to the other by a clock that nobody sets. A
  ///   service that was started in between has counted from nothing.
  init(from earlier: StatusDocument, to later: StatusDocument, elapsed: Duration) {
    let seconds = max(elapsed / .seconds(1), .leastNormalMagnitude)
    let isSameStart = earlier.started == later.started
    func rate(_ after: Int64, _ before: Int64?) -> Double {
      Double(after - (isSameStart ? before ?? 0 : 0)) / seconds
    }
    self.seconds = seconds
    accepted = rate(later.events.accepted, earlier.events.accepted)
    turnedAway = rate(later.events.turnedAway, earlier.events.turnedAway)
    lateness = isSameStart ? later.lateness.since(earlier.lateness) : later.lateness
    lanes = later.lanes.map { lane in
      let (after, before) = (lane.answers, earlier.lanes.first { $0.sink == lane.sink }?.answers)
      return Lane(
        sink: lane.sink, delivered: rate(after.delivered, before?.delivered),
        retried: rate(after.retried, before?.retried),
        rejected: rate(after.rejected, before?.rejected),
        outages: rate(after.outages, before?.outages))
    }
  }
}
