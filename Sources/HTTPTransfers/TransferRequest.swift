internal import CCurl

/// What all requests of a loop have in common.
package struct TransferSettings: Sendable {
  /// How many connections are kept.
  package var connectionsMax = 8
  /// How long a connection is kept for the next request.
  package var idle = Duration.seconds(30)
  /// Certificates in PEM of those who sign others', instead of the system's.
  package var authorities: [UInt8]?
  /// What is shown where a certificate is asked for; nothing, if nil.
  package var identity: (certificate: [UInt8], key: [UInt8])?
  /// The proxy that all requests go by, as http://HOST:PORT; nil for none. The environment's is
  /// never used.
  package var proxy: String?
  /// Whether bodies are asked for as they are, and decoded where they come otherwise.
  package var wantsPlainBodies = false

  package init() {}
}

extension TransferSettings {
  func withC<Value>(_ use: (inout CCurlLoopSettings) -> Value) -> Value {
    (authorities ?? []).withUnsafeBytes { authorities in
      (identity?.certificate ?? []).withUnsafeBytes { certificate in
        (identity?.key ?? []).withUnsafeBytes { key in
          var common = CCurlLoopSettings()
          common.connections_max = Int64(connectionsMax)
          common.idle_seconds = idle.components.seconds
          common.authorities = self.authorities == nil ? nil : authorities.baseAddress
          common.authorities_count = authorities.count
          common.certificate = identity == nil ? nil : certificate.baseAddress
          common.certificate_count = certificate.count
          common.key = identity == nil ? nil : key.baseAddress
          common.key_count = key.count
          common.wants_plain_bodies = wantsPlainBodies
          return TransferRequest.withText(proxy) { proxy in
            common.proxy = proxy
            return use(&common)
          }
        }
      }
    }
  }
}

/// A request, which cannot be printed: it may hold keys.
package struct TransferRequest: Sendable {
  package var method: String
  /// Of HTTP or HTTPS.
  package var url: String
  /// The path of a Unix socket to connect to, whatever the URL says.
  package var socket: String?
  /// What the URL's host stands for, and the only addresses that may be connected to, each of 4 or
  /// 16 bytes; nil if any may. A second family is tried when the first is silent for a moment
  /// (RFC 8305).
  package var addresses: [[UInt8]]?
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8]?
  /// How long it may take to its last byte; nil for ever.
  package var patience: Duration?
  /// How long connecting may take, with TLS.
  package var connectPatience = Duration.seconds(10)
  /// How long nothing may come; nil for ever.
  package var silence: Duration?

  package init(_ method: String, _ url: String) {
    self.method = method
    self.url = url
  }

  /// The fields as they are sent; nil if one would end before its time.
  var lines: [String]? {
    let isPlain = fields.allSatisfy { name, value in
      !name.isEmpty && !name.utf8.contains(UInt8(ascii: ":")) && Self.isLine(name)
        && Self.isLine(value)
    }
    guard isPlain else { return nil }
    let hasType = fields.contains { $0.name.lowercased() == "content-type" }
    // libcurl would say that any body is a form.
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
                deadline_milliseconds: patience.map { max(1, $0.milliseconds) } ?? 0,
                connect_milliseconds: max(1, connectPatience.milliseconds),
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
  /// Whether libcurl finds this host, without brackets, and this port in a URL.
  package static func leads(_ url: String, to host: String, port: Int) -> Bool {
    ccurl_url_leads_to(url, host, Int32(clamping: port))
  }
}
