import CivilTime
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule D9: a delivery that was in flight at several crashes is quarantined, and no other is.
@Suite struct SuspectTests {
  @Test(arguments: [(60, 32_768), (60, 256), (20, 4), (3, 1)])
  func `D9: a delivery that causes crashes is a dead letter after three crashes`(
    count: Int, window: Int
  ) throws {
    let service = try CrashingService(window: window, poison: ["r\(count / 2)"])
    try service.prepare(count)
    try service.runWithRestarts(to: "2026-03-02 12:30", crashesMax: 3)
    #expect(service.inFlightAtCrashes.count == 3 && service.inFlightAtCrashes.last == 1)
    #expect(try service.deadLetters.map(\.delivery.recipient) == ["r\(count / 2)"])
    #expect(try service.deadLetters.map(\.reason) == [Suspicion.reason])
    #expect(
      service.answeredRecipients.count == count - 1
        && Set(service.answeredRecipients).count == count - 1)
    let stage = service.stage
    #expect(try stage.core().outbox.dispatcher.lanes.map(\.answers.quarantined) == [1])
    #expect(try stage.status().deadLetters == 1)
    let deadLetterTexts = stage.world.deliveryNotes.compactMap { note in
      if case .dead(let retry, let reason) = note {
        "\(retry.delivery.recipient): \(reason)"
      } else {
        nil
      }
    }
    #expect(
      deadLetterTexts == [
        "r\(count / 2): the service died 3 times while the delivery was in flight"
      ])
    try stage.restart()
    #expect(try stage.core().outbox.dispatcher.lanes.map(\.answers.quarantined) == [0])
  }

  @Test func `D9: the other deliveries go out between the crashes`() throws {
    let service = try CrashingService(window: 100, poison: ["r50"])
    try service.prepare(100)
    _ = try service.runUntilCrash(to: utc("2026-03-02 12:30"))
    #expect(service.inFlightAtCrashes == [100] && service.answeredRecipients.isEmpty)
    _ = try service.runUntilCrash(to: utc("2026-03-02 12:30"))
    #expect(service.inFlightAtCrashes == [100, 10] && service.answeredRecipients.count == 50)
    // The ten suspects of the second crash wait, and the other deliveries do not.
    try service.stage.run(to: service.stage.now + .seconds(1))
    #expect(try service.deathsMax == 2)
    _ = try service.runUntilCrash(to: service.stage.now + .seconds(3))
    #expect(service.answeredRecipients.count == 90)
    _ = try service.runUntilCrash(to: utc("2026-03-02 12:30"))
    #expect(service.inFlightAtCrashes == [100, 10, 1])
  }

  @Test(arguments: Seeds.all)
  func `D9: all deliveries that cause crashes are quarantined, and no other`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...60, using: &random)
    let poison = Set(
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        "r\(Int.random(in: 0..<count, using: &random))"
      })
    let service = try CrashingService(window: .random(in: 1...100, using: &random), poison: poison)
    try service.prepare(count)
    try service.runWithRestarts(to: "2026-03-02 13:00", crashesMax: 3 * poison.count)
    #expect(Set(try service.deadLetters.map(\.delivery.recipient)) == poison, "seed \(seed)")
    #expect(service.answeredRecipients.count == count - poison.count, "seed \(seed)")
  }

  @Test func `D9: crashes of another cause quarantine no delivery`() throws {
    let service = try CrashingService(poison: [])
    try service.prepare(50)
    let stage = service.stage
    try stage.run(to: "2026-03-02 12:00")
    for _ in 0..<20 {
      try stage.crash()
      try stage.run(to: stage.now + .seconds(1))
    }
    #expect(try service.deadLetters.isEmpty && service.deathsMax == 2)
    _ = try service.runUntilCrash(to: utc("2026-03-02 12:30"))
    #expect(service.answeredRecipients.count == 50 && Set(service.answeredRecipients).count == 50)
    #expect(try service.deadLetters.isEmpty)
  }

  @Test func `D9: an orderly stop does not count as a crash`() throws {
    let service = try CrashingService(window: 1, poison: [])
    try service.prepare(3)
    let stage = service.stage
    try stage.run(to: "2026-03-02 12:00")
    for _ in 0..<5 {
      #expect(stage.world.dispatched.count == 1)
      try stage.core().isDraining = true
      try stage.turn()
      try stage.restart()
      #expect(try stage.core().outbox.dispatcher.lanes.map(\.answers.orphaned) == [1])
      #expect(try service.deathsMax == 0)
      try stage.run(to: stage.now + .minutes(1))
    }
    try stage.crash()
    #expect(try service.deathsMax == 1)
  }

  @Test func `D9: an answer clears a suspect`() throws {
    let service = try CrashingService(window: 1, poison: [])
    try service.prepare(1)
    let stage = service.stage
    try stage.run(to: "2026-03-02 12:00")
    for round in 0..<3 {
      for deaths in 1...2 {
        try stage.crash()
        #expect(try service.deathsMax == deaths)
        try stage.run(to: stage.now + .seconds(6))
        #expect(stage.world.dispatched.count == 1)
      }
      stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
      try stage.answer()
      stage.reply = nil
      #expect(try service.deathsMax == 0, "round \(round)")
      try stage.run(to: stage.now + .minutes(40))
    }
    #expect(try service.deadLetters.isEmpty)
  }

  @Test func `D9: a resent dead letter is sent alone, and one crash quarantines it again`() throws {
    let service = try CrashingService(poison: ["r5"])
    try service.prepare(10)
    try service.runWithRestarts(to: "2026-03-02 12:30", crashesMax: 3)
    func resend() throws {
      let letter = try #require(try service.deadLetters.first)
      let answer = AnswerBox<DeadLetterReceipt?>()
      try service.stage.turn(
        [.deadLetterWrite(DeadLetterWrite(.resend, .one(letter.identifier)), answer.take)])
      #expect(try answer.value()?.outcomes.count == 1)
    }
    try resend()
    // The delivery is in flight now.
    try service.stage.crash()
    #expect(try service.deadLetters.map(\.delivery.recipient) == ["r5"])
    service.poison = []
    try resend()
    _ = try service.runUntilCrash(to: utc("2026-03-02 12:40"))
    #expect(service.answeredRecipients.count == 10)
    #expect(try service.deadLetters.isEmpty)
  }

  @Test func `D9: deliveries that cause crashes at two sinks do not stop other deliveries`()
    throws
  {
    let service = try CrashingService(window: 16, poison: ["r3"])
    let stage = service.stage
    stage.others = [NamedSink(name: "mail", window: 16)]
    stage.routes = Routes([.push: ["test"], .email: ["mail"]])
    try stage.restart(
      planner: try Fixtures.planner(
        catalog: Fixtures.notes(channels: "push: true, email: true"), defaultZone: "UTC"))
    try service.prepare(8)
    try service.runWithRestarts(to: "2026-03-02 13:00", crashesMax: 6)
    let letters = try service.deadLetters.map { "\($0.delivery.recipient) \($0.sink)" }
    #expect(letters == ["r3 test", "r3 mail"])
    #expect(service.answeredRecipients.count == 14)
  }
}
