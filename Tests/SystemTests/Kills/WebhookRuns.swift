import CivilTime
import JSON
import TestSupport

/// One state directory through many runs of the service, with one webhook receiver that outlives
/// them and acts once on each id.
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

  /// Some events are repeated, because they were sent without an answer.
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

  func recordRest(_ run: ServiceRun) {
    if run.service.log.contains("unanswered deliveries when the service ended") {
      orphanedRunCount += 1
    }
  }
}

/// The effects of a receiver, by notification title.
struct Effects {
  /// Descriptions of violations.
  private(set) var violations: [String] = []
  /// The number of deliveries of ids already acted on.
  private(set) var repetitions = 0
  private var identifiers: [String: String] = [:]

  var count: Int { identifiers.count }

  func contains(_ title: String) -> Bool { identifiers[title] != nil }

  mutating func record(_ line: JSONValue) {
    guard let event = line["event"], let identifier = event["id"]?.stringValue,
      let title = event["data"]?["title"]?.stringValue
    else { return violations.append("an invalid request: \(line)") }
    let known = identifiers[title]
    if line["acted"] != true { repetitions += 1 }
    if let known, line["acted"] == true {
      violations.append("\(title) had its effect twice, as \(known) and as \(identifier)")
    }
    if known == nil, line["acted"] != true {
      violations.append("\(title) arrived under the id of another notification: \(identifier)")
    }
    identifiers[title] = identifier
  }
}
