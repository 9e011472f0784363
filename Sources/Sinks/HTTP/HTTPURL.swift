internal import Cryptography
internal import Foundation
internal import HTTPTransfers
package import HTTPTypes
package import Reminders

/// The HTTP or HTTPS URL that a sink sends to, with the method.
///
/// The description contains only the scheme, the host and a non-default port, because the path may
/// contain a key.
package struct HTTPURL: Sendable {
  package let isSecure: Bool
  /// The host in lower case; an IPv6 address without brackets.
  package let host: String
  package let port: Int
  package let method: HTTPRequest.Method
  /// The URL as it is sent.
  let text: String

  /// - Parameter method: the method of requests to this URL.
  package init(_ text: String, method: HTTPRequest.Method = .post) throws(ParsingError) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://")
    else { throw ParsingError("must begin with https:// or http://") }
    let rest = text.dropFirst(scheme.count + 3)
    guard rest.utf8.allSatisfy(Self.isURLByte) else {
      throw ParsingError(
        "has a character that must be percent-encoded; in a host name, use the xn-- form")
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw ParsingError("must not name a user or password") }
    isSecure = scheme == "https"
    let defaultPort = isSecure ? 443 : 80
    (host, port) = try Self.hostAndPort(authority.lowercased(), defaultPort: defaultPort)
    let path = rest.dropFirst(authority.count)
    let normalizedAuthority =
      (host.contains(":") ? "[\(host)]" : host) + (port == defaultPort ? "" : ":\(port)")
    self.text = "\(scheme)://\(normalizedAuthority)\(path.hasPrefix("/") ? "" : "/")\(path)"
    self.method = method
    // libcurl parses the URL again when it connects. If it found another host, the checks of hosts
    // would be bypassed.
    guard TransferRequest.leads(self.text, to: host, port: port) else {
      throw ParsingError("is not a valid URL")
    }
  }

  /// Splits an authority into host and port.
  private static func hostAndPort(_ text: String, defaultPort: Int) throws(ParsingError) -> (
    String, Int
  ) {
    let isBracketed = text.hasPrefix("[")
    let host = text.prefix { isBracketed ? $0 != "]" : $0 != ":" }
    let portText = text.dropFirst(host.count + (isBracketed ? 1 : 0))
    guard !isBracketed || text.contains("]") else { throw ParsingError("has a [ without a ]") }
    let name = String(host.dropFirst(isBracketed ? 1 : 0))
    let isHost = isBracketed ? name.contains(":") && NetworkAddress(name) != nil : isName(name)
    guard isHost else { throw ParsingError("needs the name or the address of a host") }
    guard !portText.isEmpty else { return (name, defaultPort) }
    guard portText.first == ":", portText.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      let port = Int(portText.dropFirst()), (1...65_535).contains(port)
    else { throw ParsingError("has an invalid port: it must be from 1 to 65535") }
    return (name, port)
  }

  /// Whether a name consists of letters, digits, hyphens and underscores between single dots (RFC
  /// 1123).
  private static func isName(_ name: String) -> Bool {
    guard name.utf8.count <= 253 else { return false }
    return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
  }

  /// Returns the URL of a resource below this one; nil if that is no URL.
  func appending(_ path: String, method: HTTPRequest.Method) -> HTTPURL? {
    try? HTTPURL(text + (text.hasSuffix("/") ? "" : "/") + path, method: method)
  }

  /// The URL of a proxy: the scheme, the host and the port. The port is always written, because
  /// libcurl uses port 1080 if the URL of a proxy has no port.
  package var proxyText: String {
    "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The scheme, the host, and a non-default port (RFC 6454).
  var origin: String { String(text.prefix(text.count - path.count)) }

  /// The path with the query.
  var path: String { String(text.dropFirst(isSecure ? 8 : 7).drop { $0 != "/" }) }

  /// The minimum length of a part that may be a key, in bytes: a shorter key could be guessed.
  private static let keyByteCountMin = 8

  /// The parts that may be keys: the path with its query, the path alone, and their components of
  /// at least `keyByteCountMin` bytes.
  var secrets: [Secret] {
    let path = path
    let parts = path.split { "/?&=".contains($0) }.filter { $0.utf8.count >= Self.keyByteCountMin }
    return Set([path[...], path.prefix { $0 != "?" }] + parts).filter { $0 != "/" }
      .map { Secret($0.removingPercentEncoding ?? String($0)) }
  }

  /// Whether RFC 3986 allows the byte, except for a fragment's #, which is never sent.
  private static func isURLByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
  }

  /// The reason why a URL is invalid; the description does not quote the URL.
  package struct ParsingError: Error, Hashable, CustomStringConvertible {
    package let description: String

    fileprivate init(_ description: String) {
      self.description = description
    }
  }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { origin }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPURL: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  package static func == (left: HTTPURL, right: HTTPURL) -> Bool {
    left.text == right.text
  }
}

/// The fields and the body of a sink's request; the `HTTPURL` has the method.
///
/// `HTTPTypes` replaces line breaks and zero bytes in field values by spaces.
package struct HTTPRequest: Sendable {
  /// The methods that a sink may use.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  package var fields: HTTPFields
  package var body: [UInt8]

  package init(fields: HTTPFields = [:], body: [UInt8]) {
    self.fields = fields
    self.body = body
  }
}

extension HTTPFields {
  /// Sets the fields of a trace (W3C Trace Context, section 3.2).
  package mutating func carry(_ trace: TraceContext?) {
    guard let trace else { return }
    if let name = HTTPField.Name("traceparent") { self[name] = trace.parent }
    if let name = HTTPField.Name("tracestate") { self[name] = trace.state }
  }
}
