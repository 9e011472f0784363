import CivilTime
import JSON
import TestSupport

/// Many runs of the service on one state directory, with one webhook receiver that runs throughout
/// and acts once on each id.
final class WebhookRuns: RepeatedRuns {
  var ledger = Ledger()
  private(set) var effects = Effects()
  /// The number of runs that began with orphaned deliveries.
  private(set) var orphanedRunCount = 0
  private let hook: HookPeer
  private let stage: DeliveryStage
  private var random: SplitMix64

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    hook = try HookPeer()
    stage = try DeliveryStage(
      ["hook": hook.sink], routes: "{push: hook}", secrets: HookPeer.secrets)
  }

  var isEverythingDelivered: Bool { effects.count >= ledger.count }
  var inlets: [Int32] { [hook.peer.descriptor] }

  func begin(_ moment: Moment?) throws -> ServiceRun {
    ledger.beginRun()
    let watch = try FileWatch(stage.workspace.state)
    return ServiceRun(try stage.launch(), watch)
  }

  func connect(_ run: ServiceRun) throws {
    run.senders = try (0..<2).map { _ in try Sender(to: stage.workspace.socket) }
  }

  /// Returns new events, and events that have been sent before and got no answer.
  func nextEvents() -> [Int] {
    (0..<Int.random(in: 1...60, using: &random)).map { _ in
      if Bool.random(using: &random), let number = ledger.takeUnanswered() { return number }
      return ledger.add { Report.note("e\($0)", to: "r\($0 % 500)") }
    }
  }

  func recordDeliveries(of run: ServiceRun) throws {
    for line in try hook.peer.lines() {
      effects.record(line)
      run.counts.deliveries += 1
    }
  }

  func recordRemainingOutput(_ run: ServiceRun) {
    if run.service.log.contains("unanswered deliveries when the service ended") {
      orphanedRunCount += 1
    }
  }
}

/// The effects of a receiver's actions, by the title of the notification.
struct Effects {
  /// Descriptions of violations.
  private(set) var violations: [String] = []
  /// The number of deliveries with an id on which the receiver had acted before.
  private(set) var repetitions = 0
  private var identifiers: [String: String] = [:]

  var count: Int { identifiers.count }

  func contains(_ title: String) -> Bool { identifiers[title] != nil }

  mutating func record(_ line: JSONValue) {
    guard let event = line["event"], let identifier = event["id"]?.stringValue,
      let title = event["data"]?["title"]?.stringValue
    else { return violations.append("an invalid request: \(line)") }
    let previousID = identifiers[title]
    if line["acted"] != true { repetitions += 1 }
    if let previousID, line["acted"] == true {
      violations.append("\(title) had its effect twice, as \(previousID) and as \(identifier)")
    }
    if previousID == nil, line["acted"] != true {
      violations.append("\(title) arrived under the id of another notification: \(identifier)")
    }
    identifiers[title] = identifier
  }
}
