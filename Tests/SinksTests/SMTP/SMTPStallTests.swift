import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Testing

/// How a mail that the server does not answer affects other mails.
@Suite(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment)) struct SMTPStallTests {
  private func deliveries(_ names: [String], from first: Int = 0) -> [Delivery] {
    names.enumerated().map {
      SMTPFixtures.delivery(Int64(first + $0.offset), to: "\($0.element)@example.com")
    }
  }

  /// Checks the order at the server: the server had accepted the nine other mails when the client
  /// gave up the stalled mail.
  @Test func `D3: a mail without an answer delays no other of its batch`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: 2s", "concurrency: 2"])
    let names = ["stalled"] + Array(repeating: "amina", count: 9)
    let answers = try await sink.deliver(deliveries(names))
    try #require(answers.map(\.isDelivered) == names.map { $0 == "amina" })
    #expect(answers[0].response?.status == "timeout")
    // The server has noticed the end of that connection once it has accepted another mail.
    let next = try await sink.deliver(deliveries(["amina"], from: 10))
    #expect(next.map(\.isDelivered) == [true])
    #expect(peer.acceptedCountsAfterWaits == [9])
    #expect(Set(try peer.received.map(\.connection)).count <= 2)
  }

  @Test func `D3: every mail has its own deadline`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: 1s", "concurrency: 2"])
    let names = ["stalled", "stalled", "amina", "bilal", "chadi"]
    let answers = try await sink.deliver(deliveries(names))
    #expect(answers.map(\.isRetry) == [true, true, false, false, false])
    #expect(answers.map(\.isDelivered) == [false, false, true, true, true])
    #expect(peer.acceptedCountsAfterWaits == [0, 0])
  }

  /// A late answer must not count for the next mail.
  @Test func `an answer after the deadline is ignored`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: 1s", "concurrency: 1"])
    let answers = try await sink.deliver(deliveries(["late", "rejected", "amina"]))
    try #require(answers.map(\.isRetry) == [true, false, false])
    #expect(answers.map(\.isRejected) == [false, true, false])
    #expect(answers[2].isDelivered)
  }

  @Test func `a server that allows few connections gets all mails over them`() async throws {
    let peer = try SMTPPeer(["--connections", "1"])
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["concurrency: 4"])
    for first in [0, 10] {
      let names = Array(repeating: "amina", count: 10)
      let answers = try await sink.deliver(deliveries(names, from: first))
      #expect(answers.map(\.isDelivered) == names.map { _ in true })
    }
    #expect(Set(try peer.received.flatMap { $0.headers("Message-ID") }).count == 20)
    #expect(Set(try peer.received.map(\.connection)).count == 1)
  }
}
