import Foundation
import PostgresServer

/// Compares, in one run, a service with a file, a service with a local PostgreSQL, and a job queue
/// in a table of that server. It shows the cost of a store that can survive the loss of a machine.
struct PostgresBenchmark {
  let count: Int

  func run() async throws {
    guard PostgresServer.isAvailable else { return print(PostgresServer.comment) }
    let server = try PostgresServer.durable()
    for (name, target) in [("in a file", BenchmarkStore.file), ("on a server", .server(server))] {
      print("\(name):")
      try await BurstBenchmark(count: count, target: target).run()
      try await IntakeBenchmark(count: count, target: target).run()
      try await LatenessBenchmark(seconds: 10, target: target).run()
    }
    try PollerBenchmark(count: count, server: server).run()
  }
}
