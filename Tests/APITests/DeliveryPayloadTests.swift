import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import API

/// Streams send the same bytes as sinks receive (rule D4).
@Suite struct DeliveryPayloadTests {
  private static let trace = TraceContext(
    parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "a=1")

  private func delivery(
    _ channel: Channel, _ hints: Hints, isSilent: Bool = false, details: String = "",
    members: [String] = [], trace: TraceContext? = nil
  ) throws -> Delivery {
    let at = try #require(Instant("2026-03-02T21:00:00Z"))
    var delivery = Delivery(
      instance: "abc", notification: 7, row: 1, recipient: "anna \"x\"", channel: channel,
      isSilent: isSilent, planned: at, at: at, expiry: at,
      message: Message(
        reminder: "r", category: "C", title: "Hello", body: "a\u{1}b", details: details,
        members: members, trace: trace))
    delivery.hints = hints
    return delivery
  }

  private func expectSameBytes(_ delivery: Delivery) {
    var (sink, stream) = (JSONWriter(), JSONWriter())
    delivery.write(to: &sink)
    DeliveryPayload.write(delivery, to: &stream)
    #expect(stream.bytes == sink.bytes, "\(String(decoding: sink.bytes, as: UTF8.self))")
  }

  @Test(arguments: Channel.allCases)
  func `D4: stream and sink encode hints alike on every channel`(channel: Channel) throws {
    for bits in UInt8(0)..<64 {
      expectSameBytes(try delivery(channel, Hints(rawValue: bits)))
      expectSameBytes(try delivery(channel, Hints(rawValue: bits), isSilent: true))
    }
  }

  @Test func `D4: stream and sink encode optional members alike`() throws {
    expectSameBytes(try delivery(.push, [], details: #"{"item":{"id":7}}"#))
    expectSameBytes(try delivery(.inapp, [], members: ["a", "b"]))
    expectSameBytes(try delivery(.email, [], trace: Self.trace))
  }
}
