import Foundation

/// Measures acknowledged events per second over HTTP on the service's socket, each durable before
/// its acknowledgement. The service is a separate process; its clients use the same cores.
struct HTTPIntakeBenchmark {
  /// The number of events in each measurement of batches.
  let count: Int

  func run() async throws {
    print("intake of \(count) events over HTTP, durable")
    try await measure("batches of 1,000, 8 connections", size: 1_000, connections: 8, count)
    try await measure("batches of 5,000, 8 connections", size: 5_000, connections: 8, count)
    try await measure("single, 64 connections", size: 1, connections: 64, min(count, 100_000))
  }

  private func measure(
    _ name: String, size: Int, connections: Int, _ total: Int
  ) async throws {
    let requests = stride(from: 0, to: total, by: size).map { Self.request(from: $0, size) }
    try await withScratchDirectory { directory in
      let service = try ServiceProcess(directory: directory)
      defer { service.stop() }
      let load = try LoadGenerator(socket: service.socket, connections: connections)
      let processorStart = service.processorSeconds
      let start = ticks()
      try load.send(requests)
      let time = (ticks() - start) / 1e9
      show(name, Double(total) / time, "a second")
      let processorTime = (service.processorSeconds - processorStart) / Double(total)
      show("  processor time of the service", processorTime * 1e6, "µs an event")
    }
  }

  private static func request(from first: Int, _ size: Int) -> [UInt8] {
    let events = (first..<first + size).map { IntakeBenchmark.json($0) }
    let body = size == 1 ? events[0] : "[\(events.joined(separator: ","))]"
    let type = size == 1 ? "application/cloudevents+json" : "application/cloudevents-batch+json"
    let head = """
      POST /v1/events HTTP/1.1\r\nHost: chimed\r\nContent-Type: \(type)\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n
      """
    return Array((head + body).utf8)
  }
}
