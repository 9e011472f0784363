import Foundation
import Postgres
import PostgresServer

/// Measures a job queue in a table, from which a worker takes jobs with SKIP LOCKED and marks them
/// as done. It has no recipients, decisions or record of deliveries.
struct PollerBenchmark {
  /// The number of jobs.
  let count: Int
  let server: PostgresServer

  private static let table = """
    CREATE TABLE job (
      id bigserial PRIMARY KEY, due timestamptz NOT NULL, state smallint NOT NULL DEFAULT 0,
      text text NOT NULL);
    CREATE INDEX ON job (due) WHERE state = 0
    """
  private static let add = """
    INSERT INTO job (due, text)
    SELECT now(), 'This is the text of job ' || n FROM unnest($1::int8[]) AS n
    """
  private static let take = """
    UPDATE job SET state = 1 WHERE id = ANY (
      SELECT id FROM job WHERE state = 0 AND due <= now() ORDER BY due LIMIT $1
      FOR UPDATE SKIP LOCKED
    ) RETURNING id, text
    """
  private static let finish = "UPDATE job SET state = 2 WHERE id = ANY($1)"

  func run() throws {
    print("a table polled with SKIP LOCKED, \(count) jobs")
    try PostgresConnection(server.location(of: "postgres")).run(script: "CREATE DATABASE poller")
    let connection = try PostgresConnection(server.location(of: "poller"))
    try connection.run(script: Self.table)
    for size in [20, 1_000] {
      let count = size < 1_000 ? min(count, 20_000) : count
      let filling = try seconds { try fill(connection, count) }
      if size == 1_000 { show("added, 5,000 at a time", Double(count) / filling, "a second") }
      var finished = 0
      let time = try seconds { finished = try finishJobs(connection, size) }
      guard finished == count else { return print("  WRONG: \(finished) of \(count) were done") }
      show("taken and marked as done, \(size) at a time", Double(count) / time, "a second")
    }
  }

  private func fill(_ connection: PostgresConnection, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 5_000) {
      let numbers = (start..<min(count, start + 5_000)).map(Int64.init)
      try connection.send(Self.add, [.integers(numbers)])
      try connection.wait()
    }
  }

  /// Takes and finishes all jobs, `size` at a time.
  ///
  /// - Returns: the number of finished jobs.
  private func finishJobs(_ connection: PostgresConnection, _ size: Int) throws -> Int {
    var finishedCount = 0
    while true {
      var jobs: [Int64] = []
      try connection.query(Self.take, [.integer(size)]) { jobs.append($0.integer(0)) }
      guard !jobs.isEmpty else { return finishedCount }
      try connection.send(Self.finish, [.integers(jobs)])
      try connection.wait()
      finishedCount += jobs.count
    }
  }
}
