import Foundation

/// Measures parts of chimed, and the whole service. Each benchmark runs in its own process, so that
/// it does not use memory of another. Figures depend on the machine and its load: compare only
/// figures of one run.
@main
enum Benchmarks {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first else { return try runAll() }
    let size = arguments.dropFirst().first.flatMap { Int($0) }
    switch name {
    case "wheel": WheelBenchmark(count: size ?? 1_000_000).run()
    case "burst": try await BurstBenchmark(count: size ?? 100_000).run()
    case "gated-burst": try await BurstBenchmark(count: size ?? 100_000, isGated: true).run()
    case "intake": try await IntakeBenchmark(count: size ?? 200_000).run()
    case "http": try await HTTPIntakeBenchmark(count: size ?? 400_000).run()
    case "inbox": try await InboxBenchmark(count: size ?? 10_000).run()
    case "lateness": try await LatenessBenchmark(seconds: size ?? 10).run()
    case "questions": try await QuestionsBenchmark(people: size ?? 100_000).run()
    case "console": try await ConsoleBenchmark(people: size ?? 1_000_000).run()
    case "postgres": try await PostgresBenchmark(count: size ?? 100_000).run()
    case "webhook": try await WebhookBenchmark(count: size ?? 50_000).run()
    case "person": try await PersonBenchmark(pending: size ?? 1_000).run()
    case "history": try await HistoryBenchmark(history: size ?? 10_000_000).run()
    case "simulate": try SimulationBenchmark(recipients: size ?? 10_000).run()
    default:
      print(
        "usage: benchmarks "
          + "[wheel|burst|gated-burst|intake|http|inbox|lateness|questions|console|postgres|"
          + "webhook|person|history|simulate [SIZE]]")
      exit(64)
    }
  }

  /// The arguments of the benchmarks that run if none is named.
  private static let defaultRuns: [[String]] = [
    ["wheel", "1000000"], ["wheel", "10000000"], ["intake"], ["http"], ["inbox"],
    ["burst", "10000"], ["burst", "100000"], ["burst", "1000000"], ["gated-burst", "100000"],
    ["lateness"], ["webhook"], ["simulate"],
  ]

  private static func runAll() throws {
    for arguments in defaultRuns {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = arguments
      try process.run()
      process.waitUntilExit()
    }
  }
}
