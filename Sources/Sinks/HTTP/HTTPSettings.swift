internal import Foundation
package import Outbox
package import Reminders

/// The settings that every HTTP sink has.
package struct HTTPSettings: Hashable, Sendable {
  package static let keys: [KeyDescription] = [
    .optional("allow", .oneOrMany(.text), "Networks that are not public and may be reached."),
    .optional("ca", .text, "A PEM file of trusted authorities."),
    .optional("proxy", .text, "The HTTP proxy for all requests of the sink."),
  ]

  /// The addresses that the sink may connect to.
  package var policy: AddressPolicy
  /// The path of a PEM file of trusted authorities; nil for the system's.
  package var authorities: String?
  /// The proxy for all requests; nil connects directly.
  package var proxy: HTTPURL?

  package init(
    policy: AddressPolicy = AddressPolicy(), authorities: String? = nil, proxy: HTTPURL? = nil
  ) {
    self.policy = policy
    self.authorities = authorities
    self.proxy = proxy
  }

  package init(reading settings: inout SinkSettings) {
    var networks: [Network] = []
    for text in settings.texts("allow") {
      if let network = Network(text) {
        networks.append(network)
      } else {
        settings.refuse(
          "allow",
          "has \"\(text)\", which is not a network; write one as 10.1.0.0/16, or an "
            + "address as 192.0.2.7/32")
      }
    }
    self.init(
      policy: AddressPolicy(allowed: networks), authorities: settings.text("ca"),
      proxy: Self.proxy(&settings))
  }

  private static func proxy(_ settings: inout SinkSettings) -> HTTPURL? {
    guard let url = settings.url("proxy") else { return nil }
    if url.path == "/" { return url }
    settings.refuse("proxy", "must be http://HOST:PORT or https://HOST:PORT, without a path")
    return nil
  }

  /// - Throws: an outage if the file of authorities is missing or invalid.
  package func check() throws(SinkOutage) {
    _ = try readAuthorities()
  }

  /// Returns the authorities' certificates in PEM; nil for the system's.
  func readAuthorities() throws(SinkOutage) -> [UInt8]? {
    guard let authorities else { return nil }
    return try PEMCertificates.read(authorities)
  }
}

/// Reads and checks certificates in PEM (RFC 7468).
enum PEMCertificates {
  /// Returns the contents of a sink's `ca`.
  ///
  /// - Throws: an outage if the file cannot be read or has no certificate.
  static func read(_ path: String) throws(SinkOutage) -> [UInt8] {
    guard let file = fopen(path, "re") else {
      throw SinkOutage("\(path) (ca) cannot be read: \(String(cString: strerror(errno)))")
    }
    fclose(file)
    let bytes = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
    guard isCertificateList(String(decoding: bytes, as: UTF8.self)) else {
      throw SinkOutage("\(path) (ca) has no certificate; it must be in PEM format")
    }
    return bytes
  }

  /// Whether the text contains at least one certificate, and all of them look valid.
  static func isCertificateList(_ text: String) -> Bool {
    let parts = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
    return !parts.isEmpty && parts.allSatisfy { isCertificate($0) }
  }

  /// - Parameter part: the text after a BEGIN line.
  private static func isCertificate(_ part: String) -> Bool {
    let ends = part.components(separatedBy: "-----END CERTIFICATE-----")
    let bytes = Data(base64Encoded: ends[0].filter { !$0.isWhitespace })
    // A certificate is an ASN.1 SEQUENCE, whose tag is 0x30.
    return ends.count > 1 && bytes?.first == 0x30
  }
}

extension SinkSettings {
  /// Returns an HTTP or HTTPS URL; reports a fault if it is invalid.
  package mutating func url(_ key: String) -> HTTPURL? {
    guard let text = text(key) else { return nil }
    do throws(HTTPURL.ParsingError) {
      return try HTTPURL(text)
    } catch {
      refuse(key, error.description)
      return nil
    }
  }
}
