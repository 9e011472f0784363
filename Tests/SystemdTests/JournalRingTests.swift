import Synchronization
import Systemd
import Testing

/// The latest journal entries, which are kept in memory.
@Suite struct JournalRingTests {
  private let ring = JournalRing(capacity: 3)

  private func journal(_ priority: JournalPriority = .informational) -> Journal {
    Journal(.lines(-1), threshold: JournalThreshold(priority), ring: ring)
  }

  private func messages(after number: Int64 = 0) -> [String] {
    ring.items(after: number).map(\.entry.message)
  }

  @Test func `the latest entries are kept under ascending numbers`() {
    for number in 1...10 { journal().send(.started, "\(number)") }
    #expect(ring.last == 10)
    // A ring stores at most twice as many entries as its capacity.
    #expect((3...6).contains(ring.items(after: 0).count))
    #expect(messages().last == "10")
    #expect(messages(after: 8) == ["9", "10"])
    #expect(messages(after: 10) == [])
    #expect(messages(after: 99) == [])
    #expect(ring.items(after: 8).map(\.number) == [9, 10])
  }

  @Test func `S3: a delivery of the journal sink is not kept`() {
    journal().send(message: "Day 4 Lesson Ready: body", priority: .notice)
    #expect(messages() == [])
  }

  @Test func `entries below the threshold are not kept, audit entries always are`() {
    journal(.error).send(.started, "quiet")
    journal(.error).unfiltered.send(
      .changed, "loud", fields: [(.actor, "user 0"), (.action, "reload")])
    #expect(messages() == ["loud"])
  }
}

/// Watches, which are called for new journal entries.
@Suite struct JournalRingWatchTests {
  @Test func `a watch is called for each entry until it is released`() {
    let ring = JournalRing(capacity: 3)
    let journal = Journal(.lines(-1), ring: ring)
    let latestNumber = Atomic(0)
    func run(_ body: (JournalRing.Watch) -> Void) {
      body(ring.watch { [ring] in latestNumber.store(Int(ring.last), ordering: .relaxed) })
    }
    journal.send(.started, "before")
    run { watch in
      withExtendedLifetime(watch) {
        journal.send(.started, "one")
        // The entry is in the ring when the watch is called.
        #expect(latestNumber.load(ordering: .relaxed) == 2)
        journal.send(message: "a delivery", priority: .notice)
        #expect(latestNumber.load(ordering: .relaxed) == 2)
      }
    }
    journal.send(.started, "after")
    #expect(latestNumber.load(ordering: .relaxed) == 2)
  }
}
