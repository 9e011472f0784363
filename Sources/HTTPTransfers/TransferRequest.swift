internal import CCurl

/// The settings of all requests of a loop.
package struct TransferSettings: Sendable {
  /// The maximum number of connections that are kept open.
  package var connectionsMax = 8
  /// How long an idle connection is kept open.
  package var idle = Duration.seconds(30)
  /// The trusted certificates in PEM; nil for the system's.
  package var authorities: [UInt8]?
  /// The client certificate and its key in PEM; nil for none.
  package var identity: (certificate: [UInt8], key: [UInt8])?
  /// The proxy for all requests, as http://HOST:PORT; nil for none. Proxies in the environment are
  /// ignored.
  package var proxy: String?
  /// Whether to request uncompressed bodies; a body that is compressed nevertheless is decoded.
  package var requestsPlainBodies = false

  package init() {}
}

extension TransferSettings {
  func withC<Value>(_ use: (inout CCurlLoopSettings) -> Value) -> Value {
    (authorities ?? []).withUnsafeBytes { authorities in
      (identity?.certificate ?? []).withUnsafeBytes { certificate in
        (identity?.key ?? []).withUnsafeBytes { key in
          var settings = CCurlLoopSettings()
          settings.connections_max = Int64(connectionsMax)
          settings.idle_seconds = idle.components.seconds
          settings.authorities = self.authorities == nil ? nil : authorities.baseAddress
          settings.authorities_count = authorities.count
          settings.certificate = identity == nil ? nil : certificate.baseAddress
          settings.certificate_count = certificate.count
          settings.key = identity == nil ? nil : key.baseAddress
          settings.key_count = key.count
          settings.wants_plain_bodies = requestsPlainBodies
          return TransferRequest.withText(proxy) { proxy in
            settings.proxy = proxy
            return use(&settings)
          }
        }
      }
    }
  }
}

/// A request. Its description contains no details, because they may contain keys.
package struct TransferRequest: Sendable {
  package var method: String
  /// An http or https URL.
  package var url: String
  /// The path of a Unix socket to connect to instead of the URL's host.
  package var socket: String?
  /// The addresses of the URL's host, of 4 or 16 bytes each. A connection is made only to one of
  /// them; nil allows any address. If no address of the first family answers immediately, the
  /// second family is tried as well (RFC 8305).
  package var addresses: [[UInt8]]?
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8]?
  /// The time limit of the whole transfer; nil for none.
  package var timeout: Duration?
  /// The time limit of connecting, including TLS.
  package var connectTimeout = Duration.seconds(10)
  /// How long the transfer may last without a received byte; nil for no limit.
  package var silence: Duration?

  package init(_ method: String, _ url: String) {
    self.method = method
    self.url = url
  }

  /// The header lines; nil if a name or value contains a line break or another invalid character.
  var lines: [String]? {
    let isPlain = fields.allSatisfy { name, value in
      !name.isEmpty && !name.utf8.contains(UInt8(ascii: ":")) && Self.isLine(name)
        && Self.isLine(value)
    }
    guard isPlain else { return nil }
    let hasType = fields.contains { $0.name.lowercased() == "content-type" }
    // Without this header, libcurl would declare any body to be a form.
    return fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
      + (hasType || body == nil ? [] : ["Content-Type:"])
  }

  private static func isLine(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
  }

  func withC<Value>(_ use: (inout CCurlRequest) -> Value) -> Value {
    method.withCString { method in
      url.withCString { url in
        Self.withText(socket) { socket in
          Self.withAddresses(addresses ?? []) { addresses in
            Self.withBytes(body) { body in
              var request = CCurlRequest(
                method: method, url: url, socket: socket, addresses: addresses.baseAddress,
                addresses_count: addresses.count, has_body: body != nil,
                body: body?.baseAddress, body_count: body?.count ?? 0,
                deadline_milliseconds: timeout.map { max(1, $0.milliseconds) } ?? 0,
                connect_milliseconds: max(1, connectTimeout.milliseconds),
                silence_seconds: silence?.components.seconds ?? 0)
              return use(&request)
            }
          }
        }
      }
    }
  }

  private static func withAddresses<Value>(
    _ addresses: [[UInt8]], _ body: (UnsafeBufferPointer<CCurlAddress>) -> Value
  ) -> Value {
    let copies = addresses.map { bytes in
      var address = CCurlAddress()
      withUnsafeMutableBytes(of: &address.bytes) { $0.copyBytes(from: bytes.prefix($0.count)) }
      address.count = Int32(clamping: bytes.count)
      return address
    }
    return copies.withUnsafeBufferPointer(body)
  }

  private static func withBytes<Value>(
    _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> Value
  ) -> Value {
    guard let bytes else { return body(nil) }
    return bytes.withUnsafeBytes { body($0) }
  }

  fileprivate static func withText<Value>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Value
  ) -> Value {
    guard let text else { return body(nil) }
    return text.withCString(body)
  }
}

extension TransferRequest: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package var description: String { "(a request)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension TransferRequest {
  /// Returns whether libcurl would connect to this host and port for a URL. An IPv6 address has no
  /// brackets.
  package static func leads(_ url: String, to host: String, port: Int) -> Bool {
    ccurl_url_leads_to(url, host, Int32(clamping: port))
  }
}
