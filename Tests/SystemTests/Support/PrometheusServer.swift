import Glibc

/// A Prometheus that scrapes a service each second. It ends with this object.
final class PrometheusServer {
  /// The number of queries without a result after which a test fails. Each starts a process.
  private static let attemptsMax = 2_000

  private let process: ChildProcess
  private let address: String

  /// - Parameters:
  ///   - port: the service's port on the loopback.
  ///   - token: a token for its metrics.
  init(in workspace: Workspace, scraping port: UInt16, token: String) throws {
    let files = workspace.path + "/prometheus"
    let listener = "127.0.0.1:\(try FreePort.any())"
    address = "http://" + listener
    try Files.write(token, to: files + ".token")
    try Files.write(
      """
      global: {scrape_interval: 1s, scrape_timeout: 1s}
      scrape_configs:
        - job_name: chimed
          authorization: {credentials_file: \(files).token}
          static_configs: [{targets: ["127.0.0.1:\(port)"]}]
      """, to: files + ".yml")
    process = try ChildProcess(
      Project.tool("prometheus"),
      [
        "--config.file=\(files).yml", "--storage.tsdb.path=\(files)", "--log.level=warn",
        "--web.listen-address=\(listener)",
      ])
  }

  /// Returns a line for each series of an expression.
  ///
  /// - Throws: the server's error, such as one about the expression.
  func query(_ expression: String) throws -> [Substring] {
    let query = try ChildProcess(
      Project.tool("promtool"), ["query", "instant", address, expression])
    let ending = try query.finish()
    guard ending == .exited(0) else {
      let errors = String(decoding: query.errors.take(), as: UTF8.self)
      throw Failure("\(expression): \(errors)")
    }
    return String(decoding: query.output.take(), as: UTF8.self)
      .split(whereSeparator: \.isNewline)
  }

  /// Waits until an expression has a series.
  func wait(for expression: String) throws {
    for _ in 0..<Self.attemptsMax {
      // The server may not listen yet.
      if let series = try? query(expression), !series.isEmpty { return }
    }
    throw Failure("\(expression) has no series")
  }
}
