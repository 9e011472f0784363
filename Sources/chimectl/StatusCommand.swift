import ArgumentParser
import JSON

/// Shows how the service is.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the service is, what is next and what is stuck.",
    discussion: """
      What is wrong comes first, each with what to do about it. A sink's breaker is open while \
      the sink takes nothing: what is for it waits, and from time to time a single delivery is \
      tried. The exit code is 0 for a service that is healthy, also if it wants a look, and 1 for \
      one that is not.
      """)

  @Flag(help: "Show each sink and what waits for it also while all is well.")
  var lanes = false

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var layout: LayoutOptions

  @OptionGroup var connection: ConnectionOptions

  /// An engine that has not answered for so many seconds is about to be restarted.
  static let patience = 10.0

  func run() async throws {
    try await reporting(layout) {
      let document = try await connection.withClient(patience: Self.patience) {
        try await $0.document("/v1/status")
      }
      let report = try StatusReport(document, showsLanes: lanes)
      if json { Console.printJSON(document) } else { Console.printOutput(report.text()) }
      if !report.isHealthy { throw ExitCode(1) }
    }
  }
}
