import Foundation

/// Sends requests over several keep-alive connections, each as soon as the previous one on its
/// connection is answered. To leave most of the machine to the service, the generator uses one
/// thread, gets complete requests, and parses of an answer only what it needs.
final class LoadGenerator {
  private struct Connection {
    let socket: ClientSocket
    var request: [UInt8] = []
    /// The number of the request's bytes that were sent.
    var sentCount = 0
    /// The received bytes of the response.
    var response: [UInt8] = []
    /// The start of the request, in nanoseconds of the monotonic clock.
    var start = 0.0
  }

  struct UnexpectedAnswer: Error {
    let response: String
  }

  private var connections: [Connection]
  /// The poll(2) events that each connection waits for.
  private var states: [pollfd]
  private let isExpected: (Response) -> Bool
  /// The time from each request to its complete response, in milliseconds.
  private(set) var latencies: [Double] = []

  /// - Parameter isExpected: returns whether an answer is the expected one.
  init(
    socket: String, connections count: Int,
    isExpected: @escaping (Response) -> Bool = \.isAccepted
  ) throws {
    self.isExpected = isExpected
    connections = try (0..<count).map { _ in Connection(socket: try ClientSocket(path: socket)) }
    states = connections.map { pollfd(fd: $0.socket.descriptor, events: 0, revents: 0) }
  }

  deinit {
    for connection in connections { connection.socket.close() }
  }

  /// Sends all requests, and returns once each has the expected answer.
  func send(_ requests: [[UInt8]]) throws {
    var next = 0
    var openCount = 0
    func begin(_ index: Int) throws {
      states[index].events = 0
      guard next < requests.count else { return }
      connections[index].request = requests[next]
      connections[index].sentCount = 0
      connections[index].start = ticks()
      next += 1
      openCount += 1
      try push(index)
    }
    for index in connections.indices { try begin(index) }
    while openCount > 0 {
      guard poll(&states, nfds_t(states.count), 60_000) > 0 else { throw ClientSocket.CallError() }
      for index in states.indices where states[index].revents != 0 {
        if states[index].revents & Int16(POLLOUT) != 0 { try push(index) }
        guard try pull(index) else { continue }
        openCount -= 1
        try begin(index)
      }
    }
  }

  /// Sends as much as possible of a connection's request.
  private func push(_ index: Int) throws {
    let (request, sentCount) = (connections[index].request, connections[index].sentCount)
    connections[index].sentCount += try connections[index].socket.send(request[sentCount...])
    let isSent = connections[index].sentCount == request.count
    states[index].events = Int16(isSent ? POLLIN : POLLIN | POLLOUT)
  }

  /// Receives the available bytes of a connection, and returns whether its answer is complete.
  private func pull(_ index: Int) throws -> Bool {
    try connections[index].socket.receive(into: &connections[index].response)
    let isComplete = try connections[index].response.withUnsafeBytes { bytes in
      guard let response = Response(bytes) else { return false }
      guard isExpected(response) else { throw UnexpectedAnswer(response: response.text) }
      return true
    }
    guard isComplete else { return false }
    connections[index].response.removeAll(keepingCapacity: true)
    latencies.append((ticks() - connections[index].start) / 1e6)
    return true
  }
}

/// A complete response, parsed in place.
struct Response {
  private let bytes: UnsafeRawBufferPointer
  /// The status code, which has three digits.
  private let status: Int

  /// Returns nil if the response is incomplete.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let end = Self.offset(of: "\r\n\r\n", in: bytes),
      let field = Self.offset(of: "\r\ncontent-length: ", in: bytes), field < end
    else { return nil }
    let length = Self.number(in: bytes[(field + "\r\ncontent-length: ".utf8.count)...])
    guard bytes.count >= end + 4 + length else { return nil }
    self.bytes = bytes
    status = Self.number(in: bytes["HTTP/1.1 ".utf8.count...])
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  var isFound: Bool { status == 200 }

  /// Whether all events of the request were accepted.
  var isAccepted: Bool {
    if status == 202 { return true }
    let ending = #","duplicate":0,"refused":0}"#
    return status == 200 && bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  /// Returns the offset of the first occurrence of a lowercase text, ignoring case.
  private static func offset(of text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var start = 0
    while start + text.count <= bytes.count {
      var length = 0
      while length < text.count, lowercased(bytes[start + length]) == text[length] { length += 1 }
      if length == text.count { return start }
      start += 1
    }
    return nil
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  private static func number(in bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var number = 0
    for byte in bytes {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }
}
