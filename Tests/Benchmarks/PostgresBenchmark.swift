import Foundation
import PostgresServer

/// One node on a file and one on a PostgreSQL beside it, in one run: what survival costs. And what
/// a poller of that server does meanwhile.
struct PostgresBenchmark {
  let count: Int

  func run() async throws {
    guard PostgresServer.isAvailable else { return print(PostgresServer.comment) }
    let server = try PostgresServer.durable()
    for (name, place) in [("in a file", StorePlace.file), ("on a server", .server(server))] {
      print("\(name):")
      try await HerdBenchmark(count: count, place: place).run()
      try await IntakeBenchmark(count: count, place: place).run()
      try await LatenessBenchmark(seconds: 10, place: place).run()
    }
    try PollerBenchmark(count: count, server: server).run()
  }
}
