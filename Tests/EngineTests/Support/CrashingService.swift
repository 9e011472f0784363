import CivilTime
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// A service that crashes as soon as a delivery for certain recipients is in flight.
final class CrashingService {
  let stage: Stage
  /// The recipients whose deliveries crash the service.
  var poison: Set<String>
  /// The number of deliveries in flight at each crash.
  private(set) var inFlightAtCrashes: [Int] = []
  /// The recipients of all answered deliveries, in order.
  private(set) var answeredRecipients: [String] = []

  init(window: Int = 32_768, poison: Set<String>) throws {
    stage = try Stage(
      catalog: Fixtures.notes(reminder: "note", expires: "12h"), at: "2026-03-02 09:00")
    self.poison = poison
    stage.sink.window = window
    stage.reply = nil
    try stage.restart()
  }

  /// Plans a reminder at noon for recipients r0, r1 and so on.
  func prepare(_ count: Int) throws {
    for number in 0..<count { try stage.take("relapse", of: "r\(number)") }
    try stage.run(to: "2026-03-02 11:59:59")
  }

  /// Runs the service and restarts it after each crash.
  ///
  /// - Parameter crashesMax: the number of crashes that are expected at most.
  func runWithRestarts(to end: String, crashesMax: Int) throws {
    for _ in 0...crashesMax where try !runUntilCrash(to: utc(end)) { return }
    Issue.record("the service still crashes: \(inFlightAtCrashes)")
  }

  /// Runs the service until its first crash, or until `end`.
  ///
  /// - Returns: Whether the service crashed.
  func runUntilCrash(to end: Instant) throws -> Bool {
    while true {
      try stage.turn()
      let batches = stage.world.takeBatches()
      for batch in batches {
        let recipients = batch.deliveries.map(\.recipient)
        guard poison.isDisjoint(with: recipients) else {
          inFlightAtCrashes.append(recipients.count)
          try stage.crash()
          return true
        }
        answeredRecipients += recipients
        try stage.core().turn(
          [.sinkAnswered(lane: batch.lane, .success(recipients.map { _ in .delivered }))],
          now: stage.now)
      }
      guard batches.isEmpty else { continue }
      guard let wake = try stage.core().nextWake(now: stage.now), wake <= end else { return false }
      try stage.run(to: wake)
    }
  }

  var deadLetters: [DeadLetter] {
    get throws {
      try stage.core().store.commit { try $0.deadLetters(of: nil, after: nil, limit: 1_000) }
    }
  }

  /// The largest number of crashes of a waiting delivery.
  var deathsMax: Int {
    get throws {
      let suspects = try stage.core().store.commit { try $0.suspects(deaths: 1) }
      return suspects.map(\.deaths).max() ?? 0
    }
  }
}
