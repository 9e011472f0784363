import DeliverySamples
import JSON
import Outbox
import Reminders
import Sinks
import Testing

/// A push service and one phone.
final class PushServicePeer: SinkPeer {
  enum Service: Sendable {
    case apns, fcm
  }

  private let service: Service
  private let stage: PushStage
  private let phone: Device
  private var createdSink: (any Sink)?

  init(_ service: Service) async throws {
    self.service = service
    stage = try await PushStage()
    phone = PushStage.device("phone", service == .apns ? "ios" : "android")
  }

  var secrets: [String] {
    let keys = ["account.key", "provider.key"].compactMap { try? stage.keys.text($0) }
    let lines = keys.flatMap { $0.split(separator: "\n").dropFirst().dropLast().map(String.init) }
    return lines + [phone.tokenOrEmpty, "ya29.", "eyJ"]
  }

  /// Uses the clock of the stage, because signatures must be recent.
  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    let settings = ["deadline": "\(common.deadline)"]
    let inner = try service == .apns ? stage.apns(settings) : stage.fcm(settings)
    let sink = AddressingSink(inner: inner, phone: phone)
    createdSink = sink
    return sink
  }

  func received() async throws -> [Arrival] {
    let accepted = try await stage.peer.state.pushes.filter { $0.value["answer"] == 200 }
    return try accepted.map { push in
      let body = try push.body
      let message = body["message"] ?? body
      let shown = message["notification"] ?? message["aps"]?["alert"]
      let identifier = message["data"]?["id"] ?? message["id"]
      return Arrival(
        identifier: try #require(identifier?.stringValue),
        text: (shown?["title"]?.stringValue ?? "") + "\n" + (shown?["body"]?.stringValue ?? ""))
    }
  }

  /// Returns once the sink has noticed the end of the connection. A push before that may still
  /// arrive.
  func disconnect() async throws {
    try await stage.peer.command(["do": "close"])
    while try await probe() {}
  }

  /// Sends a delivery, and returns whether the sink could reach the service.
  private func probe() async throws -> Bool {
    do throws(SinkOutage) {
      _ = try await createdSink?.deliver([Fixtures.delivery(1_000_000)])
      return true
    } catch {
      return false
    }
  }

  func reconnect() async throws { try await stage.peer.command(["do": "listen"]) }

  func stall() async throws { try await stage.peer.set("usual", ["do": "stall"]) }

  func refuse(_ identifier: String) async throws {
    var answers = JSONObject()
    answers[identifier] = ["status": 400, "body": ["reason": "PayloadEmpty"]]
    try await stage.peer.set("by_identifier", .object(answers))
  }
}

/// Adds a phone to every delivery, and passes the delivery on.
private struct AddressingSink: Sink, CustomStringConvertible {
  let inner: any Sink
  let phone: Device

  var name: String { inner.name }
  var type: String { inner.type }
  var window: Int { inner.window }
  var description: String { "\(inner)" }

  func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    try await inner.deliver(
      deliveries.map { delivery in
        var delivery = delivery
        delivery.addressee = Addressee(zone: "UTC", devices: [phone])
        return delivery
      })
  }
}
