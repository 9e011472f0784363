import CivilTime
import Reminders
import TestSupport
import Testing

/// Rules V7 and N4: pending occurrences happen as shown if no further event is reported.
@Suite struct PendingPropertyTests {
  @Test(arguments: Seeds.all)
  func `pending occurrences happen as shown`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<3 {
      let life = try Life(seed: random.next())
      // Checks right after an event too, before the occurrences that it makes due are fired.
      let checks = life.happenings.filter { _ in Bool.random(using: &random) }.map {
        Disturbance(at: $0.time) { Self.expectAsShown($0, "seed \(seed)") }
      }
      _ = try Player.living(life, checks) { player in
        guard Int.random(in: 0..<8, using: &random) == 0 else { return }
        Self.expectAsShown(player, "seed \(seed)")
      }
    }
  }

  static func expectAsShown(_ player: Player, _ comment: String) {
    let (planner, now) = (player.planner, player.now)
    let pending = player.recipient.pending(now: now, planner: planner)
    // Pending milestones may be a year away. Later ones are not compared: the next week has an
    // occurrence of every repeating reminder.
    let horizon = now + .days(8)
    var future = player
    future.advance(to: horizon)
    let entries = future.entries[player.entries.count...]
    for shown in pending where shown.decision.at < horizon {
      guard let reminder = planner.catalog.reminder(shown.reminder) else { continue }
      let entry = entries.first {
        $0.reminder == reminder.identifier && $0.key == shown.key
      }
      let isDropped = shown.decision.outcome == .dropped
      #expect(entry?.outcome == shown.decision.outcome, "\(comment): \(shown)")
      // A drop is decided as soon as it is certain, so its instant is not compared.
      #expect(isDropped || entry?.at == shown.decision.at, "\(comment): \(shown)")
      // Views show a drop at its planned instant (rule L1).
      #expect(!isDropped || shown.decision.at == shown.planned, "\(comment): \(shown)")
      #expect(entry?.planned == shown.planned, "\(comment): \(shown)")
      #expect(entry?.reasons == shown.decision.trace.reasons, "\(comment): \(shown)")
      let message = reminder.messages[Int(shown.message)]
      let number = shown.subject.count?.number(
        at: shown.decision.at, in: planner.zone(of: player.recipient.facts))
      #expect(entry?.title == message.title.text(number: number), "\(comment): \(shown)")
    }
    // The first occurrence of a reminder must have been shown.
    let known = Set(pending.map { "\($0.reminder.code) \($0.key)" })
    for (name, all) in Dictionary(grouping: entries, by: \.reminder)
    where name != Digest.identifier {
      let first = all.first.map { "\(Symbol(name).code) \($0.key)" }
      #expect(first.map(known.contains) == true, "\(comment): \(name) was not shown")
    }
  }
}
