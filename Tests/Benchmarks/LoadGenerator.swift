import Foundation

/// Sends requests over several connections that are kept alive, the next on each as soon as the one
/// before is answered. One thread does it, with requests made beforehand, so that little of the
/// machine goes to it.
final class LoadGenerator {
  private struct Connection {
    let socket: ClientSocket
    var request: [UInt8] = []
    var sent = 0
    var response: [UInt8] = []
    var began = 0.0
  }

  /// An answer that is not what the benchmark is about.
  struct Refused: Error {
    let response: String
  }

  private var connections: [Connection]
  private let isRight: (Response) -> Bool
  /// How long each answer took, in milliseconds.
  private(set) var latencies: [Double] = []

  /// - Parameter isRight: whether an answer is what the benchmark is about.
  init(
    socket: String, connections count: Int,
    isRight: @escaping (Response) -> Bool = \.isTakenIn
  ) throws {
    self.isRight = isRight
    connections = try (0..<count).map { _ in Connection(socket: try ClientSocket(path: socket)) }
  }

  deinit {
    for connection in connections { connection.socket.close() }
  }

  /// Returns when every request has been answered rightly.
  func send(_ requests: [[UInt8]]) throws {
    var next = 0
    var open = 0
    func begin(_ index: Int) throws {
      guard next < requests.count else { return }
      connections[index].request = requests[next]
      connections[index].sent = 0
      connections[index].began = ticks()
      next += 1
      open += 1
      try push(index)
    }
    for index in connections.indices { try begin(index) }
    while open > 0 {
      for index in try ready() {
        try push(index)
        guard try pull(index) else { continue }
        open -= 1
        try begin(index)
      }
    }
  }

  /// Waits until some connections can go on.
  private func ready() throws -> [Int] {
    var states = connections.map { connection in
      let isSent = connection.sent == connection.request.count
      return pollfd(
        fd: connection.socket.descriptor, events: Int16(isSent ? POLLIN : POLLIN | POLLOUT),
        revents: 0)
    }
    guard poll(&states, nfds_t(states.count), 60_000) > 0 else { throw ClientSocket.Failed() }
    return states.indices.filter { states[$0].revents != 0 }
  }

  private func push(_ index: Int) throws {
    let connection = connections[index]
    guard connection.sent < connection.request.count else { return }
    connections[index].sent += try connection.socket.send(connection.request[connection.sent...])
  }

  /// Whether the answer is complete.
  private func pull(_ index: Int) throws -> Bool {
    try connections[index].socket.receive(into: &connections[index].response)
    guard let response = Response(connections[index].response) else { return false }
    connections[index].response.removeAll(keepingCapacity: true)
    guard isRight(response) else { throw Refused(response: response.text) }
    latencies.append((ticks() - connections[index].began) / 1e6)
    return true
  }
}

/// A complete answer.
struct Response {
  private let head: String
  private let body: ArraySlice<UInt8>

  /// Nil while some of it is missing.
  init?(_ bytes: [UInt8]) {
    let end = [UInt8]("\r\n\r\n".utf8)
    guard let headEnd = bytes.prefix(1_024).firstRange(of: end) else { return nil }
    head = String(decoding: bytes[..<headEnd.lowerBound], as: UTF8.self).lowercased()
    let length = head.split(separator: "content-length: ").last.flatMap { rest in
      Int(rest.prefix { $0.isNumber })
    }
    body = bytes[headEnd.upperBound...]
    guard let length, body.count >= length else { return nil }
  }

  var text: String { head + "\n" + String(decoding: body, as: UTF8.self) }

  var isFound: Bool { head.hasPrefix("http/1.1 200") }

  /// Whether all of one event or of a batch was taken in.
  var isTakenIn: Bool {
    if head.hasPrefix("http/1.1 202") { return true }
    let end = String(decoding: body.suffix(80), as: UTF8.self)
    return head.hasPrefix("http/1.1 200") && end.hasSuffix(#","duplicate":0,"refused":0}"#)
  }
}
