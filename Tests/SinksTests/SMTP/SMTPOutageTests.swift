import CivilTime
import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import Testing

/// Mail servers that cannot or must not be used.
@Suite(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment)) struct SMTPOutageTests {
  /// Returns the description of the outage that two deliveries meet; nil if the sink answers them.
  private func outage(of sink: any Sink) async -> String? {
    do {
      _ = try await sink.deliver([
        SMTPFixtures.delivery(1), SMTPFixtures.delivery(2, to: "broken"),
      ])
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `an absent server is an outage and is found again by the same sink`() async throws {
    let first = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(first.port)")
    #expect(try await sink.deliver([SMTPFixtures.delivery(1)]).map(\.isDelivered) == [true])
    first.stop()
    let reason = try #require(await outage(of: sink))
    #expect(reason.contains("the mail server cannot be used"))
    let second = try SMTPPeer(port: first.port)
    #expect(try await sink.deliver([SMTPFixtures.delivery(2)]).map(\.isDelivered) == [true])
    #expect(try second.received.count == 1)
  }

  @Test func `a server without TLS or with another name is not trusted`() async throws {
    let plain = try SMTPPeer()
    let required = try SMTPFixtures.sink("smtp://localhost:\(plain.port)", tls: true)
    #expect(await outage(of: required)?.contains("cannot be used") == true)
    let stranger = try SMTPPeer(try TestCertificate.stranger.get().arguments)
    let certificate = try TestCertificate.stranger.get().certificate
    let named = try SMTPFixtures.sink(
      "smtp://localhost:\(stranger.port)", ["tls: required", "ca: \(certificate)"])
    #expect(await outage(of: named)?.contains("localhost") == true)
    let unknown = try SMTPPeer(try TestCertificate.localhost.get().arguments)
    let unsigned = try SMTPFixtures.sink("smtp://localhost:\(unknown.port)", ["tls: required"])
    #expect(await outage(of: unsigned)?.contains("cannot be used") == true)
    for peer in [plain, stranger, unknown] {
      let received = try peer.received
      #expect(received.isEmpty)
    }
  }

  @Test(arguments: [
    ("/nowhere/ca.pem", "cannot be read: No such file or directory"),
    ("/dev/null", "has no certificate; it must be in PEM format"),
  ])
  func `S9: a sink with unusable authorities is not created`(file: String, reason: String) throws {
    let outage = #expect(throws: SinkOutage.self) {
      try SMTPFixtures.sink("smtp://127.0.0.1", ["tls: required", "ca: \(file)"])
    }
    #expect(outage?.description == "\(file) (ca) \(reason)")
  }

  @Test func `a refused password is an outage that does not show it`() async throws {
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments + ["--password", "mailer:another"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, password: SMTPFixtures.canary)
    let reason = try #require(await outage(of: sink))
    #expect(reason == "the mail server refused the user or the password (code 535)")
  }

  /// Servers lock an account after a few refusals. Some answer 534 to a person's password, because
  /// they require a separate password for programs.
  @Test(arguments: [535, 534])
  func `D2: a refused password is not sent by another AUTH mechanism`(code: Int) async throws {
    let reply = "\(code) 5.7.9 another is required"
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments
        + ["--password", "mailer:another", "--refuse-password", reply])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", ["concurrency: 1"], tls: true,
      password: SMTPFixtures.canary)
    let reason = try #require(await outage(of: sink))
    #expect(reason == "the mail server refused the user or the password (code \(code))")
    #expect(peer.logins == ["PLAIN"])
  }

  /// Many servers offer CRAM-MD5 without the plain password that they need for it.
  @Test func `D2: after a refused response to a challenge the next mechanism is tried`()
    async throws
  {
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments
        + ["--cram", "--password", "mailer:\(SMTPFixtures.canary)"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", ["concurrency: 1"], tls: true,
      password: SMTPFixtures.canary)
    let answers = try await sink.deliver((0..<2).map { SMTPFixtures.delivery($0) })
    #expect(answers.map(\.isDelivered) == [true, true])
    #expect(peer.logins == ["CRAM-MD5", "PLAIN"])
  }

  /// libcurl prefers GSSAPI for a user with a domain.
  @Test func `D2: only AUTH mechanisms with a password are used`() async throws {
    let user = "mailer@example.org"
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments
        + ["--gssapi", "--password", "\(user):\(SMTPFixtures.canary)"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, user: user, password: SMTPFixtures.canary)
    #expect(try await sink.deliver([SMTPFixtures.delivery(1)]).map(\.isDelivered) == [true])
    #expect(try peer.received.map(\.user) == [user])
  }

  @Test func `D2: a server that offers only GSSAPI is an outage`() async throws {
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments + ["--gssapi", "--no-mechanism"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, user: "mailer@example.org",
      password: SMTPFixtures.canary)
    #expect(
      await outage(of: sink) == "the mail server offers no AUTH with a user and a password")
  }

  @Test func `a password that the server repeats is hidden`() async throws {
    let plain = Data("\0mailer\0\(SMTPFixtures.canary)".utf8).base64EncodedString()
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments + [
        "--password", "mailer:\(SMTPFixtures.canary)", "--echo", "\(SMTPFixtures.canary) \(plain)",
      ])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, password: SMTPFixtures.canary)
    let answers = try await sink.deliver([SMTPFixtures.delivery(1, to: "rejected@example.com")])
    try #require(answers.map(\.isRejected) == [true])
    var shown = "\(sink)"
    dump(answers, to: &shown)
    dump(sink, to: &shown)
    #expect(!shown.contains(SMTPFixtures.canary) && !shown.contains(plain))
    let stars = [SMTPFixtures.canary, plain].map { String(repeating: "*", count: $0.count) }
    #expect(answers[0].response?.excerpt.hasSuffix(stars.joined(separator: " ")) == true)
  }

  @Test func `a refused sender is an outage, a deferred one a retry`() async throws {
    let refusing = try SMTPPeer(["--refuse-sender", "550 5.7.1 not you"])
    let first = try SMTPFixtures.sink("smtp://127.0.0.1:\(refusing.port)")
    #expect(await outage(of: first) == "the mail server refused the sender: 550 5.7.1 not you")
    let full = try SMTPPeer(["--refuse-sender", "452 4.3.1 the disk is full"])
    let second = try SMTPFixtures.sink("smtp://127.0.0.1:\(full.port)")
    #expect(try await second.deliver([SMTPFixtures.delivery(1)]).map(\.isRetry) == [true])
    let picky = try SMTPPeer(["--refuse-sender", "552 5.3.4 too large"])
    let third = try SMTPFixtures.sink("smtp://127.0.0.1:\(picky.port)")
    #expect(try await third.deliver([SMTPFixtures.delivery(1)]).map(\.isRejected) == [true])
  }

  @Test(arguments: [1, 4])
  func `D2: a mail refused with 421 on a reused connection is sent over another`(
    concurrency: Int
  ) async throws {
    let peer = try SMTPPeer(["--mails", "3"])
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["concurrency: \(concurrency)"])
    let answers = try await sink.deliver((0..<40).map { SMTPFixtures.delivery($0) })
    #expect(answers.count == 40 && answers.allSatisfy { $0.isDelivered })
    #expect(Set(try peer.received.flatMap { $0.headers("Message-ID") }).count == 40)
  }

  @Test func `D2: a refusal of the client is an outage, a refusal of one mail is not`()
    async throws
  {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["concurrency: 1"])
    for (name, reason) in [
      ("unauthorized", "530 5.7.0 authenticate first"),
      ("unnamed", "504 5.5.2 <here>: Helo command rejected: need fully-qualified hostname"),
    ] {
      let outage = await #expect(throws: SinkOutage.self) {
        try await sink.deliver([SMTPFixtures.delivery(1, to: "\(name)@example.com")])
      }
      #expect(outage?.description == "the mail server refused this client: \(reason)")
    }
    let closing = try await sink.deliver([SMTPFixtures.delivery(1, to: "closing@example.com")])
    #expect(closing.map(\.isRetry) == [true])
    let mixed = try await sink.deliver(
      ["amina", "unnamed", "bilal"].enumerated().map {
        SMTPFixtures.delivery(Int64($0.offset), to: "\($0.element)@example.com")
      })
    #expect(mixed.map(\.isRejected) == [false, false, false], "no mail becomes a dead letter")
  }

  @Test(arguments: ["unqualified@example.com", "protected@example.com", "protected@bücher.example"])
  func `D2: 504 or 530 with the recipient's address is a refusal of that mail`(
    address: String
  ) async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["concurrency: 1"])
    let answers = try await sink.deliver([
      SMTPFixtures.delivery(1, to: address), SMTPFixtures.delivery(2),
    ])
    try #require(answers.map(\.isRejected) == [true, false] && answers[1].isDelivered)
    let reason = try #require(answers[0].reason).lowercased()
    #expect(reason.hasPrefix("the mail server refused the recipient: 5"))
    #expect(!reason.contains("protected@") && !reason.contains(".example"))
  }

  @Test(arguments: ["--no-auth", "--no-mechanism"])
  func `D2: a server without AUTH is an outage if a user is configured`(manner: String) async throws
  {
    let peer = try SMTPPeer(try TestCertificate.localhost.get().arguments + [manner])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, password: SMTPFixtures.canary)
    #expect(
      await outage(of: sink)
        == "the mail server offers no AUTH with a user and a password")
    #expect(try peer.received.isEmpty)
  }

  @Test func `the names of SMTP extensions are case-insensitive`() async throws {
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments
        + ["--lower", "--utf8", "--password", "mailer:\(SMTPFixtures.canary)"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, password: SMTPFixtures.canary)
    let answers = try await sink.deliver([SMTPFixtures.delivery(1, to: "bücher@example.com")])
    #expect(answers.map(\.isDelivered) == [true])
    let mail = try #require(try peer.received.first)
    #expect(mail.tls && mail.user == "mailer" && mail.options.contains("SMTPUTF8"))
  }

  @Test(arguments: [
    "504 5.5.4 not by this mechanism", "534 5.7.9 too weak", "538 5.7.11 encrypt first",
    "535 5.7.8 refused before the password was requested",
  ])
  func `after a refused AUTH mechanism the next one is tried`(reply: String) async throws {
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments
        + ["--refuse-plain", reply, "--password", "mailer:\(SMTPFixtures.canary)"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", tls: true, password: SMTPFixtures.canary)
    let answers = try await sink.deliver((0..<2).map { SMTPFixtures.delivery($0) })
    #expect(answers.map(\.isDelivered) == [true, true])
    #expect(try peer.received.map(\.user) == ["mailer", "mailer"])
  }

  @Test func `a refused AUTH mechanism is tried again if the server offers no other`() async throws
  {
    let settings =
      try TestCertificate.localhost.get().arguments
      + ["--password", "mailer:\(SMTPFixtures.canary)"]
    let first = try SMTPPeer(settings + ["--refuse-plain", "504 5.5.4 not by this mechanism"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(first.port)", ["concurrency: 1"], tls: true,
      password: SMTPFixtures.canary)
    #expect(try await sink.deliver([SMTPFixtures.delivery(1)]).map(\.isDelivered) == [true])
    first.stop()
    let second = try SMTPPeer(settings + ["--no-login"], port: first.port)
    #expect(try await sink.deliver([SMTPFixtures.delivery(2)]).map(\.isDelivered) == [true])
    #expect(second.logins == ["PLAIN"])
  }

  @Test func `the client greets with a full host name`() async throws {
    let peer = try SMTPPeer()
    let url = "smtp://127.0.0.1:\(peer.port)"
    let sinks = try [
      SMTPFixtures.sink(url), SMTPFixtures.sink(url, ["ehlo: mx.example.net"]),
      SMTPFixtures.sink(url, ["ehlo: '[192.0.2.7]'"]),
    ]
    for sink in sinks { _ = try await sink.deliver([SMTPFixtures.delivery(1)]) }
    let names = try peer.received.map(\.hello)
    #expect(names.first?.contains(".") == true)
    #expect(names.dropFirst() == ["mx.example.net", "[192.0.2.7]"])
    for name in ["here", "a..b", "-", "[x]", "a b.example"] {
      let errors = #expect(throws: CatalogErrors.self) {
        _ = try SMTPFixtures.configuration([
          "type: smtp", "url: \(url)", "from: a@example.org", "tls: none", "ehlo: '\(name)'",
        ])
      }
      let complaint = errors.map { "\($0.diagnostics)" } ?? ""
      #expect(complaint.contains("ehlo must be a full name"), "\(name)")
    }
  }

  @Test(arguments: [
    "silence", "garbage", "drop", "long-line", "endless", "number", "refusal", "busy",
  ])
  func `a faulty server is an outage within the deadline`(mode: String) async throws {
    let peer = try SMTPPeer(["--mode", mode])
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["deadline: 500ms"])
    let clock = ContinuousClock()
    let start = clock.now
    #expect(await outage(of: sink)?.contains("the mail server cannot be used") == true)
    #expect(start.duration(to: clock.now) < .seconds(60))
  }

  @Test func `a closed connection is reported`() async throws {
    let deaf = try SMTPPeer(["--mode", "drop"])
    let reason = await outage(of: try SMTPFixtures.sink("smtp://127.0.0.1:\(deaf.port)"))
    #expect(reason == "the mail server cannot be used: the server closed the connection")
    let rude = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(rude.port)")
    let delivery = SMTPFixtures.delivery(1, to: "dropped@example.com")
    let answers = try await sink.deliver([delivery])
    #expect(answers.map(\.reason) == ["the message failed: the server closed the connection"])
  }

  @Test func `a server with bare line feeds is understood`() async throws {
    let peer = try SMTPPeer(["--mode", "bare-line-feed"])
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["deadline: 60s"])
    #expect(try await sink.deliver([SMTPFixtures.delivery(1)]).map(\.isDelivered) == [true])
  }

  @Test func `after a missing answer the next mail uses another connection`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["deadline: 2s"])
    let stalled = SMTPFixtures.delivery(0, to: "stalled@example.com")
    let answers = try await sink.deliver([stalled])
    try #require(answers.map(\.isRetry) == [true] && answers[0].response?.status == "timeout")
    let next = try await sink.deliver([SMTPFixtures.delivery(1)])
    #expect(next.map(\.isDelivered) == [true])
  }
}
