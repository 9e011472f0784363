import CivilTime
import JSON
import Outbox
import Sinks
import Testing

/// What is asked of the other side's certificate.
@Suite struct HTTPSTests {
  private static let untrusted =
    "unreachable(\"its certificate cannot be trusted: it is expired, or nobody known has signed "
    + "it\")"

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
    let resolver = AddressResolver { _ throws(HTTPFailure) in
      ["127.0.0.1"].compactMap(NetworkAddress.init)
    }
    let client = try SafeHTTPClient(
      settings, deadline: .seconds(60), concurrency: 1, resolver: resolver)
    let url = try HTTPURL("https://\(host):\(peer.port)/ok")
    let status: Int
    do throws(HTTPFailure) {
      status = try await client.send(HTTPRequest(body: []), to: url).status
    } catch {
      return "\(error)"
    }
    return try "\(status) \(peer.received.first?["name"]?.stringValue ?? "no name")"
  }

  @Test func aGoodCertificateOfTheGivenAuthorityWillDo() async throws {
    #expect(
      try await outcome(.good, authority: certificates.authority) == "200 hooks.example")
  }

  @Test func anAuthorityThatNobodyKnowsWillNot() async throws {
    #expect(
      try await outcome(.good, authority: nil)
        == Self.untrusted
    )
  }

  @Test(arguments: [TestCertificates.Kind.expired, .selfSigned])
  func aBadCertificateWillNot(kind: TestCertificates.Kind) async throws {
    #expect(
      try await outcome(kind, authority: certificates.authority)
        == Self.untrusted
    )
  }

  @Test(arguments: [TestCertificates.Kind.otherName])
  func anothersCertificateWillNot(kind: TestCertificates.Kind) async throws {
    #expect(
      try await outcome(kind, authority: certificates.authority)
        == "unreachable(\"its certificate is for another name\")")
  }

  @Test func aNamesCertificateIsNotItsAddresss() async throws {
    #expect(
      try await outcome(.good, authority: certificates.authority, host: "127.0.0.1")
        == "unreachable(\"its certificate is for another name\")")
  }

  @Test func aFileThatHoldsNoCertificateIsSaid() throws {
    for (path, reason) in [
      (certificates.key, "has no certificate; it must be in PEM format"),
      ("/nowhere/ca.pem", "cannot be read: No such file or directory"),
    ] {
      let outage = #expect(throws: SinkOutage.self) { try HTTPSettings(authorities: path).check() }
      #expect(outage?.description == "\(path) (ca) \(reason)")
    }
  }
}
