import Glibc
import JSON

/// An HTTP/1.1 connection with one request at a time, of which a test may send only a part.
final class Connection {
  struct Reply {
    var status: Int
    /// The parsed body; a string if the body is not JSON.
    var body: JSONValue
    /// The Retry-After field, in seconds.
    var retryAfter: Int?
  }

  let descriptor: Int32
  /// Whether the service has closed the connection.
  private(set) var isClosed = false
  private var outgoing: ArraySlice<UInt8> = []
  private var incoming: [UInt8] = []

  init(to path: String) throws {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = try Failure.check("socket", socket(AF_UNIX, kind, 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    _ = try Failure.check("connect to \(path)", result)
  }

  deinit {
    close(descriptor)
  }

  /// Whether a part of the request is unsent.
  var isSending: Bool { !outgoing.isEmpty && !isClosed }

  /// Prepares a request, which `send` then sends.
  func begin(_ method: String, _ path: String, _ body: String = "") {
    let type = body.hasPrefix("[") ? "application/cloudevents-batch+json" : "application/json"
    let head = """
      \(method) \(path) HTTP/1.1\r\nHost: test\r\nContent-Type: \(type)\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n
      """
    outgoing = Array((head + body).utf8)[...]
  }

  /// Sends at most the given number of bytes, without blocking.
  ///
  /// - Returns: the number of bytes sent.
  func send(upTo limit: Int) -> Int {
    let count = outgoing.prefix(limit).withUnsafeBytes { bytes in
      Glibc.send(
        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    if count < 0 && errno != EAGAIN && errno != EINTR { isClosed = true }
    outgoing = outgoing.dropFirst(max(0, count))
    return max(0, count)
  }

  /// Reads the available bytes without blocking.
  ///
  /// - Returns: the reply, if it is complete.
  func receive() throws -> Reply? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { isClosed = true }
    incoming += buffer[..<max(0, count)]
    return try takeReply()
  }

  private func takeReply() throws -> Reply? {
    let blank = Array("\r\n\r\n".utf8)
    guard let end = incoming.firstRange(of: blank) else { return nil }
    let head = String(decoding: incoming[..<end.lowerBound], as: UTF8.self)
    let lines = head.lowercased().split(separator: "\r\n")
    let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    guard let status, length != nil || lines.contains("transfer-encoding: chunked") else {
      throw Failure("the head of a reply is invalid: \(head)")
    }
    guard let (body, rest) = Self.body(incoming[end.upperBound...], length) else { return nil }
    incoming = Array(rest)
    let text = JSONValue.string(String(decoding: body, as: UTF8.self))
    let retry = lines.first { $0.hasPrefix("retry-after: ") }.flatMap { Int($0.dropFirst(13)) }
    return Reply(status: status, body: (try? JSONParser.parse(body)) ?? text, retryAfter: retry)
  }

  /// - Parameter length: nil for a chunked body.
  /// - Returns: the body and the bytes after it, if the body is complete.
  private static func body(
    _ bytes: ArraySlice<UInt8>, _ length: Int?
  ) -> (body: [UInt8], rest: ArraySlice<UInt8>)? {
    if let length {
      return bytes.count < length ? nil : (Array(bytes.prefix(length)), bytes.dropFirst(length))
    }
    var (body, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
    while let line = rest.firstRange(of: Array("\r\n".utf8)) {
      let digits = String(decoding: rest[..<line.lowerBound], as: UTF8.self)
      guard let size = Int(digits, radix: 16) else { return nil }
      let chunk = rest[line.upperBound...]
      guard chunk.count >= size + 2 else { return nil }
      body += chunk.prefix(size)
      rest = chunk.dropFirst(size + 2)
      if size == 0 { return (body, rest) }
    }
    return nil
  }
}
