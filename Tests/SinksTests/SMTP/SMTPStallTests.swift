import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Testing

/// Mails that get no answer, and those beside them.
@Suite(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment)) struct SMTPStallTests {
  private func deliveries(_ names: [String], from first: Int = 0) -> [Delivery] {
    names.enumerated().map {
      SMTPFixtures.delivery(Int64(first + $0.offset), to: "\($0.element)@example.com")
    }
  }

  /// By the order of what the server saw: it had the nine when the tenth was given up.
  @Test func d3OneThatStallsHoldsUpNoOtherOfItsBatch() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: 2s", "concurrency: 2"])
    let names = ["stalled"] + Array(repeating: "amina", count: 9)
    let answers = try await sink.deliver(deliveries(names))
    #expect(answers.map(\.isDelivered) == names.map { $0 == "amina" })
    #expect(answers[0].response?.status == "timeout")
    // The server has seen the end of that connection when it has taken another mail.
    let next = try await sink.deliver(deliveries(["amina"], from: 10))
    #expect(next.map(\.isDelivered) == [true])
    #expect(peer.waited == [9])
    #expect(Set(try peer.received.map(\.connection)).count <= 2)
  }

  @Test func d3EveryMailHasADeadlineOfItsOwn() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: 1s", "concurrency: 2"])
    let names = ["stalled", "stalled", "amina", "bilal", "chadi"]
    let answers = try await sink.deliver(deliveries(names))
    #expect(answers.map(\.isRetry) == [true, true, false, false, false])
    #expect(answers.map(\.isDelivered) == [false, false, true, true, true])
    #expect(peer.waited == [0, 0])
  }

  /// What it says in the end is no answer to the next mail.
  @Test func anAnswerThatComesTooLateIsNobodys() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["deadline: 1s", "concurrency: 1"])
    let answers = try await sink.deliver(deliveries(["late", "rejected", "amina"]))
    #expect(answers.map(\.isRetry) == [true, false, false])
    #expect(answers.map(\.isRejected) == [false, true, false])
    #expect(answers[2].isDelivered)
  }

  @Test func aServerThatTakesFewerConnectionsGetsAllByThose() async throws {
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
