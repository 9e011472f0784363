import CivilTime
import Engine
import Testing

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
}
