import CivilTime
import Glibc
import Testing

@testable import Engine

/// What the engine's thread sleeps on.
@Suite(.timeLimit(.minutes(1))) struct SystemHostTests {
  /// The timer is set only where that changes, and goes off once: to wait again sets it again.
  @Test func anInstantThatIsPastIsNeverWaitedFor() throws {
    let queue = try RequestQueue()
    let host = try SystemHost(requestFlag: queue.flag, zoneDirectory: "/usr/share/zoneinfo")
    for instant in [1, 1, 1, 2, 1].map({ Instant(milliseconds: $0) }) {
      let wakeUp = host.wait(until: instant, isUrgent: false)
      #expect(!wakeUp.clockStepped && !wakeUp.zonesChanged)
    }
  }

  @Test func aRequestWakesWhoWaitsForTheSameAsBefore() throws {
    let queue = try RequestQueue()
    let host = try SystemHost(requestFlag: queue.flag, zoneDirectory: "/usr/share/zoneinfo")
    for _ in 1...2 {
      #expect(queue.post(.refresh))
      _ = host.wait(until: nil, isUrgent: false)
      #expect(queue.take().count == 1)
    }
  }

  /// The system tells of a step once: to who reads the timer, or to who sets it.
  @Test func aStepThatIsToldWhenTheTimerIsSetIsNotLost() {
    var alarm = Alarm()
    let (noon, one) = (Instant(milliseconds: 1), Instant(milliseconds: 2))
    let steps = [(noon, 0), (one, -ECANCELED), (one, 0), (noon, -EINVAL)].map { target, code in
      (alarm.isSet(to: target), alarm.set(to: target, code))
    }
    #expect(steps.map(\.0) == [false, false, true, false])
    #expect(steps.map(\.1) == [false, true, false, false])
    #expect(!alarm.isSet(to: noon), "it was refused")
  }

  /// An engine is begun anew each time a node joins its fleet again; the system has 128 of what
  /// watches directories.
  @Test func nothingStaysOpen() throws {
    for _ in 1...300 {
      let queue = try RequestQueue()
      let host = try SystemHost(requestFlag: queue.flag, zoneDirectory: "/usr/share/zoneinfo")
      try #require(host.followsZones)
    }
  }
}
