import CivilTime
import Glibc
import Testing

@testable import Engine

/// The engine thread's timer and wake-ups.
@Suite(.timeLimit(.minutes(1))) struct SystemHostTests {
  /// The timer is set only if its instant changes. It expires once, and the next wait sets it
  /// again.
  @Test func `a wait for a past instant returns at once`() throws {
    let queue = try RequestQueue()
    let host = try SystemHost(requestFlag: queue.flag, zoneDirectory: "/usr/share/zoneinfo")
    for instant in [1, 1, 1, 2, 1].map({ Instant(milliseconds: $0) }) {
      let wakeUp = host.wait(until: instant, isUrgent: false)
      #expect(!wakeUp.clockStepped && !wakeUp.zonesChanged)
    }
  }

  @Test func `a request ends a wait whose instant has not changed`() throws {
    let queue = try RequestQueue()
    let host = try SystemHost(requestFlag: queue.flag, zoneDirectory: "/usr/share/zoneinfo")
    for _ in 1...2 {
      #expect(queue.post(.refresh))
      _ = host.wait(until: nil, isUrgent: false)
      #expect(queue.take().count == 1)
    }
  }

  /// The system reports a clock step once: to the next read or the next setting of the timer.
  @Test func `a clock step reported on setting the timer is not lost`() {
    var alarm = Alarm()
    let (first, second) = (Instant(milliseconds: 1), Instant(milliseconds: 2))
    let settings = [(first, 0), (second, -ECANCELED), (second, 0), (first, -EINVAL)]
    let steps = settings.map { target, code in
      (alarm.isSet(to: target), alarm.set(to: target, code))
    }
    #expect(steps.map(\.0) == [false, false, true, false])
    #expect(steps.map(\.1) == [false, true, false, false])
    #expect(!alarm.isSet(to: first), "the setting was refused")
  }

  /// Each time a node joins its fleet again, an engine is created. The system allows 128 inotify
  /// instances.
  @Test func `a host closes all its descriptors`() throws {
    for _ in 1...300 {
      let queue = try RequestQueue()
      let host = try SystemHost(requestFlag: queue.flag, zoneDirectory: "/usr/share/zoneinfo")
      try #require(host.followsZones)
    }
  }
}
