import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine

/// Rule T11: once the clock is right again, a wrong leap that was trusted has no lasting effect.
@Suite struct ClockReturnTests {
  /// Returns a service that has one recipient and stops on the evening of the third day.
  private func stage() throws -> LoopStage {
    let stage = try LoopStage(at: "2026-03-02 09:00")
    try stage.take(at: "2026-03-02 09:00", "lesson.completed", ["day": 30])
    try stage.stop(at: "2026-03-04 22:00")
    return stage
  }

  private static func checkIn(_ time: String) -> String {
    "\(time):00.000Z amina daily-checkin-reminder"
  }

  private static let laterLines = [checkIn("2026-03-03T21:00"), checkIn("2026-03-04T21:00")]

  @Test(arguments: ["2026-03-05 12:00", "2027-03-02 12:00", "2038-01-19 03:14"])
  func `T11: occurrences missed by a leap are sent when the clock is right`(leapTarget: String)
    throws
  {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 20:30", to: leapTarget)
    try stage.setClock(at: "2026-03-02 21:30", to: nil)
    #expect(try stage.run() == nil)
    let lines = stage.deliveryLines.filter { $0 < "2026-03-05" }
    #expect(lines == [Self.checkIn("2026-03-02T21:30")] + Self.laterLines)
  }

  @Test func `T11: an occurrence held by a gate stays held after a leap`() throws {
    let stage = try stage()
    try stage.take(
      at: "2026-03-02 09:10", "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "23:00"]])
    try stage.setClock(at: "2026-03-02 21:30", to: "2027-03-02 12:00")
    try stage.setClock(at: "2026-03-02 22:30", to: nil)
    #expect(try stage.run() == nil)
    #expect(
      stage.deliveryLines.filter { $0 < "2026-03-04" } == [
        Self.checkIn("2026-03-02T23:00"), Self.checkIn("2026-03-03T23:00"),
      ])
  }

  @Test(arguments: ["2026-03-02 20:45", "2026-03-02 21:00", "2026-03-02 21:45"])
  func `T11: a request that expired during a leap is still sent`(at time: String) throws {
    let stage = try stage()
    try stage.take(
      at: "2026-03-02 09:20", "notification.requested",
      [
        "category": "LESSON", "title": "Call", "body": "Call us.",
        "at": .string("\(try utc(time))"),
      ])
    try stage.setClock(at: "2026-03-02 20:30", to: "2027-03-02 12:00")
    try stage.setClock(at: "2026-03-02 21:30", to: nil)
    #expect(try stage.run() == nil)
    let requested = stage.deliveryLines.filter { $0.contains("requested") }
    let expected = max(try utc(time), try utc("2026-03-02 21:30"))
    #expect(requested == ["\(expected) amina notification.requested"])
  }

  @Test func `T11: a notification sent during a leap is not sent again`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 12:00", to: "2026-03-03 08:00")
    try stage.setClock(at: "2026-03-02 13:00", to: nil)
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines == [Self.checkIn("2026-03-03T08:05")] + Self.laterLines)
  }

  @Test func `T11: undoing two successive leaps returns to the time before the first`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 20:30", to: "2027-03-02 12:00")
    try stage.setClock(at: "2026-03-02 20:50", to: "2038-01-19 03:14")
    try stage.setClock(at: "2026-03-02 21:30", to: nil)
    #expect(try stage.run() == nil)
    let lines = stage.deliveryLines.filter { $0 < "2026-03-05" }
    #expect(lines == [Self.checkIn("2026-03-02T21:30")] + Self.laterLines)
  }

  @Test func `T11: an occurrence dropped during two leaps is sent`() throws {
    let stage = try stage()
    try stage.take(
      at: "2026-03-02 09:20", "notification.requested",
      [
        "category": "LESSON", "title": "Call", "body": "Call us.",
        "at": "2026-03-02T19:30:00Z",
      ])
    try stage.setClock(at: "2026-03-02 12:00", to: "2038-01-19 03:14")
    try stage.setClock(at: "2026-03-02 13:00", to: nil)
    try stage.setClock(at: "2026-03-02 15:00", to: "2027-03-02 12:00")
    try stage.setClock(at: "2026-03-02 16:00", to: nil)
    #expect(try stage.run() == nil)
    let requested = stage.deliveryLines.filter { $0.contains("requested") }
    #expect(requested == ["2026-03-02T19:30:00.000Z amina notification.requested"])
  }

  /// The clock is set back long after the last record that has a time of the leap.
  @Test func `T11: a leap is undone although its last record is long ago`() throws {
    let stage = try stage()
    try stage.take(
      at: "2026-03-02 09:20", "notification.requested",
      [
        "category": "LESSON", "title": "Call", "body": "Call us.", "expires": "30m",
        "at": "2026-03-02T14:00:00Z",
      ])
    try stage.setClock(at: "2026-03-02 11:55", to: "2026-03-02 14:55")
    try stage.setClock(at: "2026-03-02 13:45", to: nil)
    #expect(try stage.run() == nil)
    let requested = stage.deliveryLines.filter { $0.contains("requested") }
    #expect(requested == ["2026-03-02T14:00:00.000Z amina notification.requested"])
  }

  // MARK: - Restarts

  /// Returns a service whose clock leapt ahead by a year at 20:30; the leap was trusted.
  private func stageAfterLeap() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.run(to: "2026-03-02 20:30")
    let arrival = try utc("2027-03-02 12:00")
    try stage.core().recordTrustedLeap(to: arrival, by: arrival - stage.now)
    try stage.jump(to: arrival)
    return stage
  }

  private func linesOfFirstDays(_ stage: Stage) -> [String] {
    stage.deliveryLines.filter { $0 < "2026-03-05" }
  }

  @Test func `T11: a trusted leap is remembered after a crash`() throws {
    let stage = try stageAfterLeap()
    try stage.crash()
    try stage.jump(to: "2026-03-02 21:30")
    try stage.run(to: "2026-03-04 22:00")
    #expect(linesOfFirstDays(stage) == [Self.checkIn("2026-03-02T21:30")] + Self.laterLines)
  }

  @Test func `T11: the service continues after a start with the right clock`() throws {
    let stage = try stageAfterLeap()
    try stage.restart(at: utc("2026-03-02 21:30"))
    #expect(try stage.core().clock.hold == nil)
    try stage.run(to: "2026-03-04 22:00")
    #expect(linesOfFirstDays(stage) == [Self.checkIn("2026-03-02T21:30")] + Self.laterLines)
    try stage.restart(at: utc("2026-03-04 22:00"))
    #expect(try stage.core().clock.hold == nil)
    #expect(try stage.core().clock.rewind == nil)
  }

  @Test func `T11: a small step back does not undo a leap that was right`() throws {
    let stage = try stageAfterLeap()
    let attempts = stage.attempts.count
    try stage.jump(to: "2027-03-02 11:30")
    #expect(try stage.core().clock.leaps.leaps.count == 1)
    try stage.run(to: "2027-03-02 20:00")
    #expect(stage.attempts.count == attempts)
  }

  @Test func `stored leaps and rewinds are read back`() throws {
    var leaps = TrustedLeaps()
    for number in 1...9 {
      let origin = Instant(milliseconds: Int64(number) * 1_000)
      leaps.add(
        TrustedLeaps.Leap(
          origin: origin, arrival: origin + .days(9), lead: .days(8),
          notification: Int64(number)))
    }
    #expect(leaps.leaps.map(\.notification) == Array(2...9))
    #expect(TrustedLeaps(note: leaps.note) == leaps)
    #expect(TrustedLeaps(note: "") == TrustedLeaps())
    var rewind = Rewind(at: Instant(milliseconds: 5))
    #expect(!rewind.undoesLeap && Rewind(note: rewind.note) == rewind)
    let leap = TrustedLeaps.Leap(
      origin: Instant(milliseconds: 3), arrival: Instant(milliseconds: 9),
      lead: .milliseconds(6), notification: 7)
    let other = Rewind(at: Instant(milliseconds: 5), undoing: [leap])
    rewind.add(other)
    #expect(rewind == other && rewind.undoesLeap)
    #expect(rewind.instant == Instant(milliseconds: 3) && rewind.notification == 7)
    #expect(Rewind(note: rewind.note) == rewind)
    #expect(Rewind(note: "") == nil)
  }
}
