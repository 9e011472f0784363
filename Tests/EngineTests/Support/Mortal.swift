import CivilTime
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// A service that dies as soon as a sink has a delivery for certain people.
final class Mortal {
  let stage: Stage
  var poison: Set<String>
  /// How many were with a sink at each death, the poisonous among them.
  private(set) var fatal: [Int] = []
  /// Whom each sink has answered for, in order.
  private(set) var served: [String] = []

  init(window: Int = 32_768, poison: Set<String>) throws {
    stage = try Stage(
      catalog: Fixtures.notes(reminder: "note", expires: "12h"), at: "2026-03-02 09:00")
    self.poison = poison
    stage.sink.window = window
    stage.reply = nil
    try stage.restart()
  }

  /// Lets a reminder be due for so many people, called r0 and so on, at noon.
  func prepare(_ count: Int) throws {
    for number in 0..<count { try stage.take("relapse", of: "r\(number)") }
    try stage.run(to: "2026-03-02 11:59:59")
  }

  /// Lets it live, and start again after each death.
  func live(to end: String, deathsMax: Int) throws {
    for _ in 0...deathsMax where try !liveOnce(to: utc(end)) { return }
    Issue.record("it goes on dying: \(fatal)")
  }

  /// - Returns: whether it died.
  func liveOnce(to end: Instant) throws -> Bool {
    while true {
      try stage.turn()
      let batches = stage.world.takeBatches()
      for batch in batches {
        let people = batch.deliveries.map(\.recipient)
        guard poison.isDisjoint(with: people) else {
          fatal.append(people.count)
          try stage.crash()
          return true
        }
        served += people
        try stage.core().turn(
          [.sinkAnswered(lane: batch.lane, .success(people.map { _ in .delivered }))],
          now: stage.now)
      }
      guard batches.isEmpty else { continue }
      guard let wake = try stage.core().nextWake(now: stage.now), wake <= end else { return false }
      try stage.run(to: wake)
    }
  }

  var letters: [DeadLetter] {
    get throws {
      try stage.core().store.commit { try $0.deadLetters(of: nil, after: nil, limit: 1_000) }
    }
  }

  /// The most deaths that a delivery which still waits has been there at.
  var deathsMax: Int {
    get throws {
      let suspects = try stage.core().store.commit { try $0.suspects(deaths: 1) }
      return suspects.map(\.deaths).max() ?? 0
    }
  }
}
