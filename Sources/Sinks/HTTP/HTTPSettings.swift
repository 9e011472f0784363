internal import Glibc
internal import NIOSSL
package import Outbox

/// What every sink that speaks HTTP may be told.
package struct HTTPSettings: Hashable, Sendable {
  package static let keys = ["allow", "ca"]

  /// Where it may connect to.
  package var policy: AddressPolicy
  /// The file with the certificates of those who sign others', instead of the system's.
  package var authorities: String?

  package init(policy: AddressPolicy = AddressPolicy(), authorities: String? = nil) {
    self.policy = policy
    self.authorities = authorities
  }

  package init(reading settings: inout SinkSettings) {
    var networks: [Network] = []
    for text in settings.texts("allow") {
      if let network = Network(text) {
        networks.append(network)
      } else {
        settings.refuse(
          "allow",
          "has \"\(text)\", which is no network; write one as 10.1.0.0/16, or an address "
            + "as 192.0.2.7/32")
      }
    }
    self.init(policy: AddressPolicy(allowed: networks), authorities: settings.text("ca"))
  }

  /// How TLS is spoken.
  ///
  /// - Throws: what is wrong with the file of authorities.
  package func check() throws(SinkOutage) {
    _ = try makeTLS()
  }

  func makeTLS() throws(SinkOutage) -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    guard let authorities else { return tls }
    guard access(authorities, R_OK) == 0 else {
      throw SinkOutage("\(authorities) (ca) cannot be read: \(String(cString: strerror(errno)))")
    }
    guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities), !certificates.isEmpty
    else { throw SinkOutage("\(authorities) (ca) has no certificate; it must be in PEM format") }
    tls.trustRoots = .certificates(certificates)
    return tls
  }
}

extension SinkSettings {
  /// A URL of HTTP or HTTPS.
  package mutating func url(_ key: String) -> HTTPURL? {
    guard let text = text(key) else { return nil }
    do throws(HTTPURL.Fault) {
      return try HTTPURL(text)
    } catch {
      refuse(key, error.description)
      return nil
    }
  }
}
