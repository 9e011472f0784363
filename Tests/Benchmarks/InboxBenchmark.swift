import Foundation

/// Measures requests for random pages of a long inbox over HTTP.
struct InboxBenchmark {
  /// The number of items in the inbox.
  let count: Int

  /// The number of items on a page.
  private static let limit = 20
  /// The number of events in an HTTP request. The events of a request are planned together.
  private static let batchSize = 50
  /// The number of pages that are requested in each measurement.
  private static let requests = 4_000

  func run() async throws {
    print("pages of \(Self.limit) of an inbox of \(count) items over HTTP")
    try await withScratchDirectory { directory in
      let service = try ServiceProcess(
        directory: directory, catalog: Workload.catalog(named: "rooms"))
      defer { service.stop() }
      let filler = try LoadGenerator(socket: service.socket, connections: 1)
      try filler.send(stride(from: 0, to: count, by: Self.batchSize).map(fillRequest))
      for connections in [1, 16] {
        try measure(service, connections)
      }
    }
  }

  private func measure(_ service: ServiceProcess, _ connections: Int) throws {
    let reader = try LoadGenerator(
      socket: service.socket, connections: connections, isExpected: \.isFound)
    var random = SeededGenerator(state: 1)
    let pages = count / Self.limit
    try reader.send(
      (0..<Self.requests).map { _ in pageRequest(Int.random(in: 1...pages, using: &random)) })
    let sorted = reader.latencies.sorted()
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
      let value = sorted[Int(Double(sorted.count - 1) * quantile)]
      show("\(name), \(connections) at a time", value, "ms")
    }
  }

  private func pageRequest(_ number: Int) -> [UInt8] {
    let path = "/api/notifications?recipient=reader&page=\(number)&limit=\(Self.limit)"
    return Array("GET \(path) HTTP/1.1\r\nHost: chimed\r\n\r\n".utf8)
  }

  private func fillRequest(from first: Int) -> [UInt8] {
    let events = (first..<min(count, first + Self.batchSize)).map { number in
      """
      {"specversion":"1.0","id":"e\(number)","source":"benchmark",\
      "type":"notification.requested","subject":"reader",\
      "data":{"category":"COMMENT_ADDED","title":"Awesome Fun","channels":["inapp"],\
      "body":"renee commented for the \(number)th time: what a view"}}
      """
    }
    let body = "[\(events.joined(separator: ","))]"
    let head = """
      POST /v1/events HTTP/1.1\r\nHost: chimed\r\n\
      Content-Type: application/cloudevents-batch+json\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n
      """
    return Array((head + body).utf8)
  }
}
