import CivilTime
import JSON
import Outbox
import Sinks
import Testing

/// Verification of the server's certificate.
@Suite struct HTTPSTests {
  private static let untrustedError =
    "unreachable(\"its certificate is not trusted: it is expired, or its authority is "
    + "unknown\")"

  private let certificates: TestCertificates

  init() throws {
    certificates = try TestCertificates()
  }

  private func outcome(
    _ kind: TestCertificates.Kind, authority: String?, host: String = "hooks.example"
  ) async throws -> String {
    let peer = try PythonPeer("http_peer.py", [certificates.certificate(kind), certificates.key])
    let settings = HTTPSettings(
      policy: AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init)),
      authorities: authority)
    let resolver = AddressResolver { _ throws(HTTPTransferError) in
      ["127.0.0.1"].compactMap(NetworkAddress.init)
    }
    let client = try SafeHTTPClient(
      settings, deadline: .seconds(60), concurrency: 1, resolver: resolver)
    let url = try HTTPURL("https://\(host):\(peer.port)/ok")
    let status: Int
    do throws(HTTPTransferError) {
      status = try await client.send(HTTPRequest(body: []), to: url).status
    } catch {
      return "\(error)"
    }
    return try "\(status) \(peer.received.first?["name"]?.stringValue ?? "no name")"
  }

  @Test func `a good certificate of the given authority is accepted`() async throws {
    #expect(
      try await outcome(.good, authority: certificates.authority) == "200 hooks.example")
  }

  @Test func `an unknown authority is refused`() async throws {
    #expect(
      try await outcome(.good, authority: nil)
        == Self.untrustedError
    )
  }

  @Test(arguments: [TestCertificates.Kind.expired, .selfSigned])
  func `a bad certificate is refused`(kind: TestCertificates.Kind) async throws {
    #expect(
      try await outcome(kind, authority: certificates.authority)
        == Self.untrustedError
    )
  }

  @Test(arguments: [TestCertificates.Kind.otherName])
  func `another host's certificate is refused`(kind: TestCertificates.Kind) async throws {
    #expect(
      try await outcome(kind, authority: certificates.authority)
        == "unreachable(\"its certificate is for another name\")")
  }

  @Test func `a certificate for a name is refused for its address`() async throws {
    #expect(
      try await outcome(.good, authority: certificates.authority, host: "127.0.0.1")
        == "unreachable(\"its certificate is for another name\")")
  }

  @Test func `a file without a certificate is reported`() throws {
    for (path, reason) in [
      (certificates.key, "has no certificate; it must be in PEM format"),
      ("/nowhere/ca.pem", "cannot be read: No such file or directory"),
    ] {
      let outage = #expect(throws: SinkOutage.self) { try HTTPSettings(authorities: path).check() }
      #expect(outage?.description == "\(path) (ca) \(reason)")
    }
  }
}
