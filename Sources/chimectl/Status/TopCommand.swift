import ArgumentParser
import JSON

/// Shows the service's activity repeatedly.
struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show the service's activity, updated every second.",
    discussion: """
      chimectl top
      chimectl top --interval 10 >>chimed.log
      chimectl top --count 5 --json | jq .deliveriesPerSecond

      The command runs until q or Control-C. Rates are averages since the previous sample. \
      Lateness is the delay between an occurrence's instant and its processing; p50 and p99 are \
      shown as upper bounds. With --json each sample is a line. Lateness is then in seconds; it is \
      null if no occurrence was processed, or if it is above 12 hours.
      """)

  @Option(help: ArgumentHelp("The seconds between samples.", valueName: "seconds"))
  var interval = 1.0

  @Option(help: ArgumentHelp("The number of samples after which to stop.", valueName: "number"))
  var count: Int?

  @Flag(help: "Print each sample as a line of JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard interval >= 0.1, interval <= 86_400 else {
      throw ValidationError("--interval must be from 0.1 to 86400 seconds.")
    }
    guard count.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--count must be at least 1.")
    }
  }

  func run() async throws {
    try await reporting {
      try await connection.withClient(timeout: StatusCommand.timeout) { client in
        guard !json, Console.screen.canRedraw else {
          FullScreen.endQuietly()
          return try await takeSamples(from: client, to: json ? printJSON : printLine)
        }
        let screen = FullScreen()
        defer { screen.leave() }
        try await takeSamples(from: client) {
          screen.draw($0?.text(on: Console.screen) ?? Self.unreachable)
        }
      }
    }
  }

  private static let unreachable = "The service is unreachable; waiting for it.\n"

  /// Takes a sample at each interval, until the user quits or `count` samples are shown. The first
  /// sample has no rates and does not count.
  ///
  /// - Parameter show: shows a sample; called with nil, shows that the service is unreachable.
  private func takeSamples(from client: ServiceClient, to show: (TopReport?) -> Void) async throws {
    let clock = ContinuousClock()
    var due = clock.now
    var previous: (status: StatusDocument, at: ContinuousClock.Instant)?
    var (remaining, isUnreachable) = (count, false)
    while remaining != 0 {
      do throws(CommandError) {
        let status = try StatusDocument(try await client.document("/v1/status"))
        let now = clock.now
        let rates = previous.map {
          Rates(from: $0.status, to: status, elapsed: $0.at.duration(to: now))
        }
        show(TopReport(status: status, rates: rates))
        if rates != nil { remaining = remaining.map { $0 - 1 } }
        (previous, isUnreachable) = ((status, now), false)
      } catch {
        // Wait for a service that restarts.
        guard error.isTemporary, previous != nil else { throw error }
        if !isUnreachable { show(nil) }
        isUnreachable = true
      }
      guard remaining != 0 else { return }
      due += .seconds(interval)
      if due < clock.now { due = clock.now + .seconds(interval) }
      if try await Keyboard.waitForQuit(before: due) { return }
    }
  }

  private func printJSON(_ report: TopReport?) {
    guard let report else { return Console.printError(Self.unreachable) }
    if report.rates != nil { Console.printPart("\(report.json)\n") }
  }

  private func printLine(_ report: TopReport?) {
    guard let report else { return Console.printError(Self.unreachable) }
    Console.printPart(report.rates == nil ? TopReport.header : report.line)
  }
}

/// The service's rates between two status documents.
struct Rates {
  /// The rates of one sink's answers, per second.
  struct Lane {
    let sink: String
    let delivered: Double
    let retried: Double
    let rejected: Double
    /// Batches that failed as a whole.
    let outages: Double
  }

  /// The seconds between the documents.
  let seconds: Double
  /// Accepted events per second.
  let accepted: Double
  /// Rejected or unanswered events per second.
  let unaccepted: Double
  /// The lateness of occurrences processed between the documents.
  let lateness: DurationHistogram
  /// The rates of each sink, in the order of the later document.
  let lanes: [Lane]

  /// Successful deliveries per second.
  var delivered: Double { lanes.reduce(0) { $0 + $1.delivered } }

  /// - Parameter elapsed: the time between the documents, by a monotonic clock. If the service was
  ///   restarted between the documents, its counters began at zero.
  init(from earlier: StatusDocument, to later: StatusDocument, elapsed: Duration) {
    let seconds = max(elapsed / .seconds(1), .leastNormalMagnitude)
    let isSameStart = earlier.started == later.started
    func rate(_ laterCount: Int64, _ earlierCount: Int64?) -> Double {
      Double(laterCount - (isSameStart ? earlierCount ?? 0 : 0)) / seconds
    }
    self.seconds = seconds
    accepted = rate(later.events.accepted, earlier.events.accepted)
    unaccepted = rate(later.events.unaccepted, earlier.events.unaccepted)
    lateness = isSameStart ? later.lateness.since(earlier.lateness) : later.lateness
    lanes = later.lanes.map { lane in
      let laterAnswers = lane.answers
      let earlierAnswers = earlier.lanes.first { $0.sink == lane.sink }?.answers
      return Lane(
        sink: lane.sink, delivered: rate(laterAnswers.delivered, earlierAnswers?.delivered),
        retried: rate(laterAnswers.retried, earlierAnswers?.retried),
        rejected: rate(laterAnswers.rejected, earlierAnswers?.rejected),
        outages: rate(laterAnswers.outages, earlierAnswers?.outages))
    }
  }
}
