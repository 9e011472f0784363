import NIOEmbedded
import NIOTLS
import TLS
import Testing

/// Whom a client speaks to.
@Suite struct TLSCertificateTests {
  private let certificates: TestCertificates

  init() throws {
    certificates = try TestCertificates()
  }

  /// What a client that wants to say something finds wrong, in its own words and OpenSSL's.
  private func findings(
    _ kind: TestCertificates.Kind, trusting authority: String?, host: String = "hooks.example",
    protocolName: StaticString? = "h2"
  ) throws -> [String] {
    let pair = try TLSPair(
      certificates, kind, authority: authority, host: host, protocolName: protocolName)
    try pair.connect()
    let written = pair.client.say([1])
    try pair.carry()
    let isGood = pair.client.faults.isEmpty
    #expect(isGood ? written.wasKeptOnce : written.wasBrokenOnce)
    #expect(pair.server.heard == (isGood ? [1] : []))
    #expect(pair.client.channel.isActive == isGood)
    #expect(pair.client.events.isEmpty == !isGood)
    return pair.client.faults.map { "\($0)" } + [pair.client.words].compactMap { $0 }
  }

  @Test func aGoodCertificateOfTheGivenAuthorityWillDo() throws {
    #expect(try findings(.good, trusting: certificates.authority) == [])
  }

  @Test func aStrangersWillNot() throws {
    #expect(
      try findings(.good, trusting: nil)
        == ["untrusted", "unable to get local issuer certificate"])
    #expect(
      try findings(.selfSigned, trusting: certificates.authority)
        == ["untrusted", "self-signed certificate"])
  }

  @Test func anOldOneWillNot() throws {
    #expect(
      try findings(.expired, trusting: certificates.authority)
        == ["outOfDate", "certificate has expired"])
  }

  @Test func anothersWillNot() throws {
    #expect(
      try findings(.otherName, trusting: certificates.authority)
        == ["otherName", "hostname mismatch"])
    for host in ["127.0.0.1", "::1"] {
      #expect(
        try findings(.good, trusting: certificates.authority, host: host)
          == ["otherName", "IP address mismatch"])
    }
  }

  @Test func oneThatIsItsOwnAuthorityWillDoIfItIsGiven() throws {
    let own = certificates.certificate(.selfSigned)
    #expect(try findings(.selfSigned, trusting: own) == [])
  }

  @Test func whoSpeaksSomethingElseIsLeft() throws {
    #expect(
      try findings(.good, trusting: certificates.authority, protocolName: "http/1.1")
        == ["otherProtocol", "tlsv1 alert no application protocol"])
  }

  @Test func whoAgreesOnNothingIsNamed() throws {
    let pair = try TLSPair(certificates, authority: certificates.authority, protocolName: nil)
    try pair.connect()
    try pair.carry()
    #expect(pair.client.events == [.handshakeCompleted(negotiatedProtocol: nil)])
  }

  @Test func noHostIsNoneToBeTrusted() throws {
    #expect(throws: TLSFault.self) {
      try TLSPair(certificates, authority: certificates.authority, host: "")
    }
  }

  @Test func aFileWithoutCertificatesIsRefused() throws {
    for file in [certificates.key, "/nowhere/ca.pem"] {
      #expect(throws: TLSFault.self) { try TLSContext(connectingBy: "h2", trusting: file) }
    }
    #expect(throws: TLSFault.self) {
      try TLSContext(
        acceptingBy: nil, certificates: certificates.authority, key: certificates.key)
    }
  }
}
