import CivilTime
import Testing

@testable import Engine

/// The warning about a disk that is nearly full.
@Suite struct DiskWatchTests {
  @Test func `a nearly full disk is reported once, and again only after it had space`() {
    var watch = DiskWatch()
    var now = Instant(milliseconds: 1_000_000)
    let warnings = [0.5, 0.951, 0.97, 0.94, 0.96, 0.92, 0.95].map { use in
      now += .minutes(1)
      return watch.warning(at: now) { use }
    }
    #expect(
      warnings == [
        nil, "the disk of the store is 95 % full", nil, nil, nil, nil,
        "the disk of the store is 95 % full",
      ])
  }

  @Test func `T6: a clock that is set back does not delay the next measurement`() {
    var watch = DiskWatch()
    let future = Instant(milliseconds: 100_000_000_000)
    #expect(watch.warning(at: future) { 0.5 } == nil)
    #expect(watch.warning(at: Instant(milliseconds: 1_000_000)) { 0.96 } != nil)
  }

  @Test func `the disk is measured at most once a minute`() {
    var watch = DiskWatch()
    var now = Instant(milliseconds: 1_000_000)
    var count = 0
    for _ in 0..<120 {
      _ = watch.warning(at: now) { () -> Double? in
        count += 1
        return nil
      }
      now += .seconds(1)
    }
    #expect(count == 2)
  }

  @Test func `the status and the metrics contain the used share of the disk`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    let use = try #require(try stage.status().diskUse)
    #expect((0...1).contains(use))
    let metric = try #require(try stage.core().metrics(now: stage.now).diskUse)
    #expect((0...1).contains(metric))
  }

  @Test(arguments: [(0.949, false), (0.95, true), (0.967, true)])
  func `S8: the status line warns of a nearly full disk`(use: Double, isNearlyFull: Bool) throws {
    var status = try Stage(at: "2026-03-02 09:00").status()
    status.diskUse = use
    let words = "the disk of the store is \(Int(use * 100)) % full; "
    #expect(StatusReporter.line(status).hasPrefix(words) == isNearlyFull)
  }
}
