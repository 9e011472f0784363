import CivilTime
import Reminders
import TestSupport
import Testing

/// Rules V7 and N4: pending occurrences are sent as the pending view shows them, if no further
/// event arrives.
@Suite struct PendingPropertyTests {
  @Test(arguments: Seeds.all)
  func `pending occurrences are sent as shown`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<3 {
      let life = try Life(seed: random.next())
      // Some checks come right after an event, before the occurrences that the event makes due are
      // fired.
      let checks = life.happenings.filter { _ in Bool.random(using: &random) }.map {
        Disturbance(at: $0.time) { Self.expectAsShown($0, "seed \(seed)") }
      }
      _ = try Player.play(life, checks) { player in
        guard Int.random(in: 0..<8, using: &random) == 0 else { return }
        Self.expectAsShown(player, "seed \(seed)")
      }
    }
  }

  /// Expects that a player's pending occurrences of the next eight days are sent as shown.
  static func expectAsShown(_ player: Player, _ comment: String) {
    let (planner, now) = (player.planner, player.now)
    let pending = player.recipient.pending(now: now, planner: planner)
    // Only occurrences of the next eight days are compared. Every repeating reminder has one in
    // this time. Pending milestones may be a year away.
    let horizon = now + .days(8)
    var future = player
    future.advance(to: horizon)
    let entries = future.entries[player.entries.count...]
    for occurrence in pending where occurrence.decision.at < horizon {
      guard let reminder = planner.catalog.reminder(occurrence.reminder) else { continue }
      let entry = entries.first {
        $0.reminder == reminder.identifier && $0.key == occurrence.key
      }
      let isDropped = occurrence.decision.outcome == .dropped
      #expect(entry?.outcome == occurrence.decision.outcome, "\(comment): \(occurrence)")
      // A drop is decided as soon as it is certain, so its instant is not compared.
      #expect(isDropped || entry?.at == occurrence.decision.at, "\(comment): \(occurrence)")
      // Views show a drop at its planned instant (rule L1).
      #expect(
        !isDropped || occurrence.decision.at == occurrence.planned, "\(comment): \(occurrence)")
      #expect(entry?.planned == occurrence.planned, "\(comment): \(occurrence)")
      #expect(entry?.reasons == occurrence.decision.trace.reasons, "\(comment): \(occurrence)")
      let message = reminder.messages[Int(occurrence.message)]
      let number = occurrence.subject.count?.number(
        at: occurrence.decision.at, in: planner.zone(of: player.recipient.facts))
      #expect(entry?.title == message.title.text(number: number), "\(comment): \(occurrence)")
    }
    // The first occurrence of each reminder must have been among the pending occurrences.
    let pendingKeys = Set(pending.map { "\($0.reminder.code) \($0.key)" })
    for (name, reminderEntries) in Dictionary(grouping: entries, by: \.reminder)
    where name != Digest.identifier {
      let first = reminderEntries.first.map { "\(Symbol(name).code) \($0.key)" }
      #expect(first.map(pendingKeys.contains) == true, "\(comment): \(name) was not shown")
    }
  }
}
