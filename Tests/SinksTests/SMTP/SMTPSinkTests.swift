import CivilTime
import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import Testing

/// The sink that sends e-mails through a server.
@Suite(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment)) struct SMTPSinkTests {
  @Test func `a mail is sent after STARTTLS and AUTH`() async throws {
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments
        + ["--password", "mailer:\(SMTPFixtures.canary)"])
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", ["reply-to: help@example.org"], tls: true,
      password: SMTPFixtures.canary)
    let answers = try await sink.deliver([
      SMTPFixtures.delivery(7, name: "Amina", title: "Day 4 Lesson Ready", body: "Day 4 is ready.")
    ])
    try #require(answers.map(\.isDelivered) == [true])
    #expect(answers[0].response?.status == "250 2.0.0")
    let mail = try #require(try peer.received.first)
    #expect(mail.tls && mail.user == "mailer")
    #expect(mail.sender == "reminders@example.org" && mail.recipients == ["amina@example.com"])
    #expect(mail.headers("From") == ["Reminders <reminders@example.org>"])
    #expect(mail.headers("To") == ["Amina <amina@example.com>"])
    #expect(mail.headers("Reply-To") == ["help@example.org"])
    #expect(mail.headers("Subject") == ["Day 4 Lesson Ready"])
    #expect(mail.headers("Date") == ["Mon, 02 Mar 2026 12:00:00 +0000"])
    #expect(mail.headers("Message-ID") == ["<store-7@example.org>"])
    #expect(mail.headers("Auto-Submitted") == ["auto-generated"])
    #expect(mail.headers("List-Unsubscribe").isEmpty)
    #expect(mail.text == "Day 4 Lesson Ready\n\nDay 4 is ready.\n")
    #expect(mail.html.contains("<p>Day 4 is ready.</p>") && mail.defects.isEmpty)
  }

  @Test func `TLS from the start works too`() async throws {
    let peer = try SMTPPeer(try TestCertificate.localhost.get().arguments + ["--smtps"])
    let sink = try SMTPFixtures.sink("smtps://localhost:\(peer.port)", tls: true)
    #expect(try await sink.deliver([SMTPFixtures.delivery(1)]).map(\.isDelivered) == [true])
    #expect(try peer.received.count == 1)
  }

  /// A password that is part of an address must not leave the rest of the address readable.
  @Test func `overlapping secrets are hidden completely`() async throws {
    let password = "canary9f31"
    let peer = try SMTPPeer(
      try TestCertificate.localhost.get().arguments + ["--password", "mailer:\(password)"])
    let sink = try SMTPFixtures.sink("smtp://localhost:\(peer.port)", tls: true, password: password)
    let address = "rejected@\(password).example"
    let answers = try await sink.deliver([SMTPFixtures.delivery(1, to: address)])
    let stars = String(repeating: "*", count: address.count)
    #expect(answers.map(\.response?.excerpt) == ["5.1.1 <\(stars)> is unknown here"])
  }

  @Test func `D2: the server's reply decides the outcome of a mail`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)")
    let names = ["amina", "rejected", "deferred", "content-rejected", "dropped", "bilal"]
    let answers = try await sink.deliver(
      names.enumerated().map {
        SMTPFixtures.delivery(Int64($0.offset), to: "\($0.element)@example.com")
      })
    try #require(answers.map(\.isDelivered) == [true, false, false, false, false, true])
    #expect(answers.map(\.isRejected) == [false, true, false, true, false, false])
    #expect(answers.map(\.isRetry) == [false, false, true, false, true, false])
    #expect(answers[1].response?.status == "550 5.1.1")
    let stars = String(repeating: "*", count: "rejected@example.com".count)
    #expect(answers[1].response?.excerpt == "5.1.1 <\(stars)> is unknown here")
    #expect(answers[1].reason?.contains("rejected@") == false)
    #expect(answers[2].response?.status == "451 4.7.1")
    #expect(answers[3].response?.status == "554 5.7.1")
    #expect(answers[4].response?.status == "disconnected")
    #expect(
      answers[2].reason == "the recipient failed: 451 4.7.1 greylisted, come back")
  }

  @Test func `connections are reused`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["concurrency: 2"])
    for batch in [Int64(0)..<20, 20..<40] {
      let answers = try await sink.deliver(batch.map { SMTPFixtures.delivery($0) })
      #expect(answers.allSatisfy { $0.isDelivered })
    }
    let received = try peer.received
    #expect(Set(received.map { $0.headers("Message-ID") }).count == 40)
    #expect(Set(received.map(\.connection)) == [0, 1])
  }

  @Test func `D1: a repeated delivery has the same Message-ID`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)")
    for _ in 0..<2 { _ = try await sink.deliver([SMTPFixtures.delivery(9)]) }
    let received = try peer.received
    #expect(received.count == 2 && received[0].raw == received[1].raw)
  }

  @Test func `a missing or invalid address is rejected alone`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)")
    let addresses = [nil, "amina@example.com\r\nRCPT TO:<eve@example.com>", "amina@example.com"]
    let answers = try await sink.deliver(
      addresses.enumerated().map { SMTPFixtures.delivery(Int64($0.offset), to: $0.element) })
    try #require(answers.map(\.isRejected) == [true, true, false] && answers[2].isDelivered)
    #expect(try peer.received.map(\.recipients) == [["amina@example.com"]])
    #expect(try await sink.deliver([]) == [])
  }

  @Test func `SMTPUTF8 is used where it is needed and offered`() async throws {
    let addresses = ["amina@bücher.example", "bücher@example.com", "plain@example.com"]
    let deliveries = addresses.enumerated().map {
      SMTPFixtures.delivery(Int64($0.offset), to: $0.element)
    }
    let modern = try SMTPPeer(["--utf8"])
    let first = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(modern.port)", ["concurrency: 1"])
    #expect(try await first.deliver(deliveries).map(\.isDelivered) == [true, true, true])
    let received = try modern.received
    #expect(
      received.map(\.recipients) == [
        ["amina@xn--bcher-kva.example"], ["bücher@example.com"], ["plain@example.com"],
      ])
    #expect(received.map { $0.options.contains("SMTPUTF8") } == [false, true, false])
    let old = try SMTPPeer()
    let second = try SMTPFixtures.sink("smtp://127.0.0.1:\(old.port)", ["concurrency: 1"])
    let answers = try await second.deliver(deliveries)
    try #require(answers.map(\.isDelivered) == [true, false, true] && answers[1].isRejected)
    #expect(try old.received.count == 2)
  }

  @Test func `texts arrive unchanged`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)")
    let texts = [
      ".", "..\n.\n\nFrom me\n. \n.a", "a = b =3D \t\n trailing \t", "Grüße, Šárka", "السلام عليكم",
      String(repeating: "x", count: 3_000), String(repeating: "word ", count: 300) + "end",
      "one\r\ntwo\rthree\nfour", "👩‍👩‍👧‍👦 " + String(repeating: "é", count: 500), "=?UTF-8?B?eA==?=",
    ]
    let answers = try await sink.deliver(
      texts.enumerated().map {
        SMTPFixtures.delivery(
          Int64($0.offset), name: $0.element, title: $0.element, body: $0.element)
      })
    #expect(answers.allSatisfy { $0.isDelivered })
    let received = Dictionary(
      uniqueKeysWithValues: try peer.received.map { ($0.headers("Message-ID")[0], $0) })
    for (index, text) in texts.enumerated() {
      let mail = try #require(received["<store-\(index)@example.org>"])
      let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      #expect(mail.text == "\(lines)\n\n\(lines)\n")
      #expect(mail.headers("Subject").map(Self.words) == [Self.words(text)])
      #expect(mail.headers.count == 8 && mail.defects.isEmpty)
      #expect(mail.raw.utf8.allSatisfy { $0 < 0x80 })
      #expect(mail.raw.replacing("\r\n", with: "").contains { $0.isNewline } == false)
      #expect(mail.raw.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 998 })
    }
  }

  /// Returns the words of a header, independent of folding.
  private static func words(_ text: String) -> String {
    text.split { $0.isWhitespace }.joined(separator: " ")
  }

  @Test func `each mail of a large batch arrives once`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["concurrency: 8"])
    let answers = try await sink.deliver((0..<256).map { SMTPFixtures.delivery($0) })
    #expect(answers.count == 256 && answers.allSatisfy { $0.isDelivered })
    let identifiers = try peer.received.flatMap { $0.headers("Message-ID") }
    #expect(identifiers.count == 256 && Set(identifiers).count == 256)
  }
}
