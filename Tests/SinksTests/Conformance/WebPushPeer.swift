import JSON
import Outbox
import Reminders
import Sinks

/// A browser with its push service.
final class WebPushPeer: SinkPeer {
  private let stage: WebPushStage
  private var refusedIdentifiers: Set<String> = []

  init() throws {
    stage = try WebPushStage()
  }

  var credentials: [String: String] { ["vapid": WebPushStage.key] }
  var secrets: [String] { [WebPushStage.key] + stage.subscriptionWords }

  func addressed(_ delivery: Delivery) -> Delivery { stage.addressed(delivery) }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    try stage.sink(["deadline: \(common.deadline)"], in: surroundings)
  }

  func received() throws -> [Arrival] {
    let arrivals = try stage.pushes.map { push in
      let text = push["text"]
      return Arrival(
        identifier: text?["id"]?.stringValue ?? "",
        text: (text?["title"]?.stringValue ?? "") + "\n" + (text?["body"]?.stringValue ?? ""))
    }
    return arrivals.filter { !refusedIdentifiers.contains($0.identifier) }
  }

  func stall() throws { try stage.order("stall") }

  func refuse(_ identifier: String) throws {
    refusedIdentifiers.insert(identifier)
    try stage.order("status-\(identifier)", "400")
  }
}
