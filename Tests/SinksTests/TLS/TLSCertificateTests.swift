import NIOEmbedded
import NIOTLS
import TLS
import Testing

/// Verification of the peer by a TLS client.
@Suite struct TLSCertificateTests {
  private let certificates: TestCertificates

  init() throws {
    certificates = try TestCertificates()
  }

  /// Connects a client that sends data, and returns the faults that it finds: their kinds, and the
  /// text of OpenSSL.
  private func findings(
    _ kind: TestCertificates.Kind, trusting authority: String?, host: String = "hooks.example",
    protocolName: StaticString? = "h2"
  ) throws -> [String] {
    let pair = try TLSPair(
      certificates, kind, authority: authority, host: host, protocolName: protocolName)
    try pair.connect()
    let writePromise = pair.client.write([1])
    try pair.carry()
    let isGood = pair.client.faults.isEmpty
    #expect(isGood ? writePromise.hasSucceededOnce : writePromise.hasFailedOnce)
    #expect(pair.server.received == (isGood ? [1] : []))
    #expect(pair.client.channel.isActive == isGood)
    #expect(pair.client.events.isEmpty == !isGood)
    return pair.client.faults.map { "\($0)" } + [pair.client.words].compactMap { $0 }
  }

  @Test func `a good certificate of the given authority is accepted`() throws {
    #expect(try findings(.good, trusting: certificates.authority) == [])
  }

  @Test func `a certificate of an unknown authority is refused`() throws {
    #expect(
      try findings(.good, trusting: nil)
        == ["untrusted", "unable to get local issuer certificate"])
    #expect(
      try findings(.selfSigned, trusting: certificates.authority)
        == ["untrusted", "self-signed certificate"])
  }

  @Test func `an expired certificate is refused`() throws {
    #expect(
      try findings(.expired, trusting: certificates.authority)
        == ["outOfDate", "certificate has expired"])
  }

  @Test func `another host's certificate is refused`() throws {
    #expect(
      try findings(.otherName, trusting: certificates.authority)
        == ["otherName", "hostname mismatch"])
    for host in ["127.0.0.1", "::1"] {
      #expect(
        try findings(.good, trusting: certificates.authority, host: host)
          == ["otherName", "IP address mismatch"])
    }
  }

  @Test func `a self-signed certificate is accepted if the client trusts it`() throws {
    let certificate = certificates.certificate(.selfSigned)
    #expect(try findings(.selfSigned, trusting: certificate) == [])
  }

  @Test func `a server with another protocol is refused`() throws {
    #expect(
      try findings(.good, trusting: certificates.authority, protocolName: "http/1.1")
        == ["otherProtocol", "tlsv1 alert no application protocol"])
  }

  @Test func `a server without ALPN is reported as such`() throws {
    let pair = try TLSPair(certificates, authority: certificates.authority, protocolName: nil)
    try pair.connect()
    try pair.carry()
    #expect(pair.client.events == [.handshakeCompleted(negotiatedProtocol: nil)])
  }

  @Test func `an empty host name is refused`() throws {
    #expect(throws: TLSError.self) {
      try TLSPair(certificates, authority: certificates.authority, host: "")
    }
  }

  @Test func `a file without certificates is refused`() throws {
    for file in [certificates.key, "/nowhere/ca.pem"] {
      #expect(throws: TLSError.self) { try TLSContext(connectingBy: "h2", trusting: file) }
    }
    #expect(throws: TLSError.self) {
      try TLSContext(
        acceptingBy: nil, certificates: certificates.authority, key: certificates.key)
    }
  }
}
