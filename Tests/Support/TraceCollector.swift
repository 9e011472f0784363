import Foundation

/// A collector of traces on the loopback. It records the requests of one connection after the
/// other, and answers each with the same status, or never.
package final class TraceCollector: @unchecked Sendable {
  package struct Request: Sendable {
    package var head: String
    package var body: [UInt8]
  }

  /// The error if no port can be opened.
  package struct NoPort: Error {}

  /// The longest wait for a request, in seconds.
  private static let timeout: TimeInterval = 60

  package let port: UInt16
  private let listener: Int32
  /// The status of every answer; nil to answer no request.
  private let status: Int?
  /// The body of every answer.
  private let body: String
  private let condition = NSCondition()
  /// Protected by the condition.
  private var received: [Request] = []

  /// - Parameter status: nil to answer no request.
  package init(answering status: Int?, with body: String = "{}") throws {
    (self.status, self.body) = (status, body)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isOpen else { throw NoPort() }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        while let request = Self.read(connection),
          self?.recordAndAnswer(request, on: connection) == true
        {}
        close(connection)
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  package var endpoint: String { "http://127.0.0.1:\(port)/v1/traces" }

  package var requests: [Request] {
    condition.lock()
    defer { condition.unlock() }
    return received
  }

  /// Waits until the requests fulfil a condition.
  ///
  /// - Returns: whether they do.
  package func wait(until isEnough: ([Request]) -> Bool) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: Self.timeout)
    while !isEnough(received) {
      guard condition.wait(until: end) else { return isEnough(received) }
    }
    return true
  }

  /// Records a request and answers it.
  ///
  /// - Returns: whether the connection continues.
  private func recordAndAnswer(_ request: Request, on connection: Int32) -> Bool {
    condition.lock()
    received.append(request)
    condition.broadcast()
    condition.unlock()
    guard let status else { return true }
    let length = "Content-Length: \(body.utf8.count)"
    let answer = "HTTP/1.1 \(status) Done\r\n\(length)\r\n\r\n\(body)"
    return send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) > 0
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let request = request(in: bytes) { return request }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  private static func request(in bytes: [UInt8]) -> Request? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    let length =
      head.lowercased().split(separator: "\r\n")
      .first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
    let body = bytes[end.upperBound...]
    return body.count < length ? nil : Request(head: head, body: Array(body.prefix(length)))
  }
}
