internal import Foundation
internal import HTTPTransfers
package import HTTPTypes
package import Reminders
internal import Systemd

/// Where a sink sends to, by HTTP or HTTPS.
///
/// What shows it shows scheme, host and an unusual port only: the rest may hold a key.
package struct HTTPURL: Sendable {
  package let isSecure: Bool
  /// In lower case; an address of IPv6 without its brackets.
  package let host: String
  package let port: Int
  /// By which requests go there.
  package let method: HTTPRequest.Method
  /// As it is sent.
  let text: String

  /// - Parameter method: by which requests go there.
  package init(_ text: String, method: HTTPRequest.Method = .post) throws(Fault) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://")
    else { throw Fault("must begin with https:// or http://") }
    let rest = text.dropFirst(scheme.count + 3)
    guard rest.utf8.allSatisfy(Self.isURLByte) else {
      throw Fault("has a character that must be written as % and two digits, or by xn--")
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw Fault("must not name a user or password") }
    isSecure = scheme == "https"
    let usual = isSecure ? 443 : 80
    (host, port) = try Self.place(authority.lowercased(), usualPort: usual)
    let path = rest.dropFirst(authority.count)
    let written = (host.contains(":") ? "[\(host)]" : host) + (port == usual ? "" : ":\(port)")
    self.text = "\(scheme)://\(written)\(path.hasPrefix("/") ? "" : "/")\(path)"
    self.method = method
    // Two readers of one text must not find two hosts in it: the other one connects.
    guard TransferRequest.leads(self.text, to: host, port: port) else {
      throw Fault("cannot be read")
    }
  }

  /// Takes a host, perhaps with a port, apart.
  private static func place(_ text: String, usualPort: Int) throws(Fault) -> (String, Int) {
    let isBracketed = text.hasPrefix("[")
    let host = text.prefix { isBracketed ? $0 != "]" : $0 != ":" }
    let rest = text.dropFirst(host.count + (isBracketed ? 1 : 0))
    guard !isBracketed || text.contains("]") else { throw Fault("has a [ without its ]") }
    let name = String(host.dropFirst(isBracketed ? 1 : 0))
    let isHost = isBracketed ? name.contains(":") && NetworkAddress(name) != nil : isName(name)
    guard isHost else { throw Fault("needs the name or the address of a host") }
    guard !rest.isEmpty else { return (name, usualPort) }
    guard rest.first == ":", rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      let port = Int(rest.dropFirst()), (1...65_535).contains(port)
    else { throw Fault("has a port that is none: it must be from 1 to 65535") }
    return (name, port)
  }

  /// Letters, digits, hyphens and underscores, between single dots (RFC 1123).
  private static func isName(_ name: String) -> Bool {
    guard name.utf8.count <= 253 else { return false }
    return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
  }

  /// Scheme, host, and a port that is not the scheme's own (RFC 6454).
  var origin: String { String(text.prefix(text.count - path.count)) }

  /// Where on the host, with what follows a question mark.
  var path: String { String(text.dropFirst(isSecure ? 8 : 7).drop { $0 != "/" }) }

  /// Whoever guesses a shorter part of a path has not found a key.
  private static let keyByteCountMin = 8

  /// What of it may be a key: where on the host it leads, and what that consists of.
  var secrets: [Secret] {
    let path = path
    let parts = path.split { "/?&=".contains($0) }.filter { $0.utf8.count >= Self.keyByteCountMin }
    return Set([path[...], path.prefix { $0 != "?" }] + parts).filter { $0 != "/" }
      .map { Secret($0.removingPercentEncoding ?? String($0)) }
  }

  /// What RFC 3986 knows, but for a fragment, which is never sent.
  private static func isURLByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
  }

  /// What is wrong with a URL; it does not repeat it.
  package struct Fault: Error, Hashable, CustomStringConvertible {
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

/// What a sink sends, by the method of the URL that it goes to.
///
/// A field's value cannot hold a line break or a zero byte: `HTTPTypes` puts spaces there.
package struct HTTPRequest: Sendable {
  /// What may be done to a URL.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }

  package var fields: HTTPFields
  package var body: [UInt8]

  package init(fields: HTTPFields = [:], body: [UInt8]) {
    self.fields = fields
    self.body = body
  }
}

extension HTTPFields {
  /// Says which trace a request is part of (W3C Trace Context, section 3.2).
  package mutating func carry(_ trace: TraceContext?) {
    guard let trace else { return }
    if let name = HTTPField.Name("traceparent") { self[name] = trace.parent }
    if let name = HTTPField.Name("tracestate") { self[name] = trace.state }
  }
}
