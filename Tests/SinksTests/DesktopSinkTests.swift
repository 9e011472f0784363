import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Testing

@testable import Sinks

/// The sink that shows deliveries on a desktop.
@Suite struct DesktopSinkTests {
  private let bus: PrivateBus

  init() throws {
    bus = try PrivateBus()
  }

  private func sink(
    _ change: (inout DesktopSettings) -> Void = { _ in }
  ) -> DesktopSink {
    var settings = DesktopSettings(recipient: "amina", bus: bus.address)
    change(&settings)
    return DesktopSink(settings, now: { Fixtures.noon })
  }

  @Test func `a notification has all members of its delivery`() async throws {
    let server = try NotificationServer(address: bus.address)
    var silent = Fixtures.delivery(8)
    silent.isSilent = true
    let answers = try await sink().deliver([
      Fixtures.delivery(7, title: "A & B", body: "<b>1 & 2</b>"), silent,
    ])
    #expect(answers == [.delivered, .delivered])
    let shown = server.shown
    #expect(
      shown.map(\.texts) == [
        ["chimed", "", "A & B", "&lt;b&gt;1 &amp; 2&lt;/b&gt;"], ["chimed", "", "Note", "A note."],
      ])
    #expect(
      shown.map(\.hints) == [
        ["urgency": "1", "x-chimed-delivery": "store-7"],
        ["urgency": "0", "x-chimed-delivery": "store-8", "suppress-sound": "true"],
      ])
    #expect(shown.map(\.milliseconds) == [-1, -1])
    #expect(shown.map(\.replaces) == [0, 0])
  }

  @Test func `a server without markup gets the plain text`() async throws {
    let server = try NotificationServer(address: bus.address, isMarkup: false)
    _ = try await sink().deliver([Fixtures.delivery(7, body: "1 < 2 & 3")])
    #expect(server.shown.first?.texts[3] == "1 < 2 & 3")
  }

  @Test func `a repeated delivery replaces its notification`() async throws {
    let server = try NotificationServer(address: bus.address)
    let sink = sink()
    for number: Int64 in [1, 2, 1] { _ = try await sink.deliver([Fixtures.delivery(number)]) }
    #expect(server.shown.map(\.replaces) == [0, 0, 101])
  }

  @Test func `a notification without a number replaces no number of another one`() async throws {
    let server = try NotificationServer(address: bus.address)
    let sink = sink()
    _ = try await sink.deliver([Fixtures.delivery(1)])
    server.omitNumbers(true)
    let others = (0..<Int64(ShownNotifications.countMax)).map { Fixtures.delivery(2 + $0) }
    let answers = try await sink.deliver(others)
    #expect(answers.allSatisfy { $0 == .delivered })
    server.omitNumbers(false)
    _ = try await sink.deliver([Fixtures.delivery(1)])
    #expect(server.shown.last?.replaces == 101)
  }

  @Test func `the numbers of the latest 1,024 notifications are known`() {
    var shown = ShownNotifications()
    for number in 0...UInt32(1_024) { shown.record(number, of: "\(number)") }
    shown.record(5_000, of: "1")
    #expect(shown["0"] == nil)
    #expect(shown["1"] == 5_000)
    #expect(shown["1024"] == 1_024)
  }

  @Test func `urgency and timeout are configured, the expiry limits the timeout`() async throws {
    let server = try NotificationServer(address: bus.address)
    let sink = sink {
      $0.urgency = .critical
      $0.expire = .seconds(30)
    }
    var brief = Fixtures.delivery(2)
    brief.expiry = Fixtures.noon + .seconds(10)
    var past = Fixtures.delivery(3)
    past.expiry = Fixtures.noon - .seconds(10)
    _ = try await sink.deliver([Fixtures.delivery(1), brief, past])
    #expect(server.shown.map(\.milliseconds) == [30_000, 10_000, 1_000])
    #expect(server.shown.map { $0.hints["urgency"] } == ["2", "2", "2"])
  }

  @Test func `a delivery for another recipient is rejected`() async throws {
    let server = try NotificationServer(address: bus.address)
    var other = Fixtures.delivery(1)
    other.recipient = "bilal"
    let answers = try await sink().deliver([other, Fixtures.delivery(2)])
    #expect(
      answers == [
        .rejected(reason: "the desktop of this sink belongs to another recipient"), .delivered,
      ])
    #expect(server.shown.count == 1)
  }

  @Test func `a refusal by the desktop is retried`() async throws {
    let server = try NotificationServer(address: bus.address)
    let sink = sink()
    let name = "org.freedesktop.Notifications.Error.ExcessNotificationGeneration"
    server.refuse(with: name)
    let answers = try await sink.deliver([Fixtures.delivery(1)])
    guard case .retry(nil, let reason) = try #require(answers.first).verdict else {
      Issue.record("\(answers)")
      return
    }
    #expect(reason.contains(name))
    server.refuse(with: nil)
    #expect(try await sink.deliver([Fixtures.delivery(1)]) == [.delivered])
    #expect(server.shown.count == 2)
  }

  @Test(arguments: [0, 0xFFFE, 0xFFFF, 0xFDD0, 0xFDEF, 0x1_FFFE, 0x10_FFFF] as [UInt32])
  func `a character that D-Bus does not allow is replaced`(code: UInt32) async throws {
    let scalar = try #require(Unicode.Scalar(code))
    let server = try NotificationServer(address: bus.address)
    let answers = try await sink().deliver([
      Fixtures.delivery(1, title: "a\(scalar)b", body: "\(scalar)\u{301} 🕌"),
      Fixtures.delivery(2),
    ])
    #expect(answers == [.delivered, .delivered])
    #expect(
      server.shown.first?.texts == ["chimed", "", "a\u{FFFD}b", "\u{FFFD}\u{301} 🕌"])
  }

  @Test func `an invalid message is rejected and the bus stays in use`() throws {
    let server = try NotificationServer(address: bus.address)
    let connection = try SessionBus(address: bus.address)
    let failure = #expect(throws: BusError.self) {
      // An entry of a dictionary is allowed only in a dictionary.
      try connection.call("Notify", timeout: .seconds(15)) { $0.append("urgency", byte: 1) }
    }
    let answer = try #require(failure?.answer)
    #expect(answer.isRejected, "\(answer)")
    #expect(server.shown.isEmpty)
    #expect(try connection.call("GetCapabilities", timeout: .seconds(15)).texts() != [])
  }

  @Test(arguments: [
    ("", nil), ("org.freedesktop.DBus.Error.ServiceUnknown", nil),
    ("org.freedesktop.DBus.Error.Spawn.ChildExited", nil),
    ("org.freedesktop.DBus.Error.InvalidArgs", "retry"),
  ])
  func `the name of a D-Bus error decides between outage and retry`(name: String, verdict: String?)
  {
    let answer = BusError("Notify", code: -5, name: name).answer
    #expect(answer.map { $0.isRetry ? "retry" : "another" } == verdict)
  }

  @Test func `a missing bus is an outage`() async throws {
    let sink = sink { $0.bus = "unix:path=/nowhere/bus" }
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver([Fixtures.delivery(1)])
    }
    #expect(
      outage?.description
        == "the desktop cannot be reached: "
        + "the bus unix:path=/nowhere/bus: No such file or directory"
    )
  }

  @Test(arguments: [
    (["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": "/b"], "unix:path=/a"),
    (["XDG_RUNTIME_DIR": "/run/user/1000"], "unix:path=/run/user/1000/bus"), ([:], nil),
  ])
  func `the environment names the session bus`(environment: [String: String], address: String?) {
    #expect(DesktopSettings.bus(in: environment) == address)
  }
}
