import CivilTime
import Reminders
import Testing

@testable import Engine

/// The effects that a cycle gathers within its transaction.
@Suite struct TurnEffectsTests {
  private let now = Instant(milliseconds: 1_772_452_800_000)

  private func recipient(_ name: String) -> SetAsideRecipient {
    SetAsideRecipient(
      name: name, overrun: PlanningOverrun(loop: "days"), retry: now + .hours(1))
  }

  @Test func `H6: a recipient that is planned again is no longer set aside`() {
    var changes = SetAsideChanges()
    changes.addPlanned(1, wasSetAside: true)
    changes.addPlanned(2, wasSetAside: false)
    #expect(changes.replanned == [1])
  }

  @Test func `H6: a recipient whose planning fails again stays set aside`() {
    var changes = SetAsideChanges()
    changes.recipients[1] = recipient("amina")
    changes.addPlanned(1, wasSetAside: true)
    #expect(changes.replanned.isEmpty)
  }

  @Test func `a cycle is needed for requests, due or stale recipients, and submissions`() {
    var work = TurnWork()
    #expect(!work.isNeeded(for: []))
    #expect(work.isNeeded(for: [.refresh]))
    work.readsSubmissions = true
    #expect(work.isNeeded(for: []))
    work = TurnWork()
    work.dueRows = [7]
    #expect(work.isNeeded(for: []))
    work = TurnWork()
    work.staleRows = [7]
    #expect(work.isNeeded(for: []))
  }
}
