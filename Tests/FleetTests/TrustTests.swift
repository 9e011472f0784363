import CivilTime
import Testing

@testable import Fleet

@Suite struct TrustTests {
  private let times = FleetTimes(lease: .seconds(5))

  private func moment(_ sinceBoot: Int, wall: Int? = nil) -> Moment {
    Moment(
      sinceBoot: .milliseconds(sinceBoot), wall: Instant(milliseconds: Int64(wall ?? sinceBoot)))
  }

  @Test func `trust ends one second before a lease has passed since the heartbeat's start`() {
    let trust = Trust(from: moment(1_000), times)
    #expect(trust.holds(at: moment(4_999)))
    #expect(!trust.holds(at: moment(5_000)))
    #expect(trust.end == .milliseconds(5_000))
  }

  @Test func `trust does not depend on the wall clock`() {
    let trust = Trust(from: moment(1_000, wall: 1_000), times)
    #expect(trust.holds(at: moment(4_999, wall: 9_000_000)))
    #expect(!trust.holds(at: moment(5_000, wall: -9_000_000)))
  }

  @Test func `a lease below the minimum becomes the minimum`() {
    #expect(FleetTimes(lease: .seconds(1)).lease == FleetTimes.leaseMin)
    #expect(FleetTimes(lease: .seconds(9)).lease == .seconds(9))
  }

  // MARK: - Contact

  /// Returns whether contact has lasted a lease at `now`, after answers at the given times. Times
  /// are in milliseconds.
  private func hasLasted(_ answers: [Int], at now: Int) -> Bool {
    var contact = Contact()
    for answer in answers { contact.recordContact(at: .milliseconds(answer), times) }
    return contact.hasLasted(times.lease, at: .milliseconds(now), times)
  }

  @Test func `contact has lasted a lease if answers cover its length without a gap`() {
    let regular = Array(stride(from: 0, through: 5_000, by: 1_000))
    #expect(hasLasted(regular, at: 5_000))
    #expect(!hasLasted(regular, at: 4_999))
    #expect(!hasLasted([], at: 9_000))
  }

  @Test func `contact ends after a gap that lets other nodes seem silent`() {
    #expect(hasLasted([0, 3_000, 6_000], at: 6_000))
    #expect(!hasLasted([0, 3_001, 6_000], at: 6_000))
    // A node without recent answers does not know the current state.
    #expect(!hasLasted([0, 3_000, 6_000], at: 9_001))
  }

  // MARK: - Heartbeats of other nodes

  @Test func `a heartbeat counts as unchanged while its value stays the same`() {
    var watch = HeartbeatWatch()
    let node = FleetStage.nodeView(FleetStage.other, heartbeat: 10)
    watch.observe([node], now: .seconds(1))
    watch.observe([node], now: .seconds(3))
    #expect(watch.isUnchanged(FleetStage.other, for: .seconds(2), at: .seconds(3)))
    #expect(!watch.isUnchanged(FleetStage.other, for: .seconds(3), at: .seconds(3)))
    watch.observe([FleetStage.nodeView(FleetStage.other, heartbeat: 9)], now: .seconds(4))
    #expect(!watch.isUnchanged(FleetStage.other, for: .seconds(1), at: .seconds(4)))
    #expect(!watch.isUnchanged(FleetStage.third, for: .zero, at: .seconds(4)))
  }

  // MARK: - Skew

  /// Returns the skew of a node whose clock is ahead by `lead`, measured by an answer that took
  /// `duration`. Both are in milliseconds.
  private func skew(lead: Int, duration: Int = 0) -> Skew {
    var skew = Skew()
    skew.measure(
      database: Instant(milliseconds: Int64(duration / 2)), from: moment(0, wall: lead),
      to: moment(duration, wall: lead + duration))
    return skew
  }

  @Test(arguments: [
    (0, Skew.Degree.none), (249, .none), (250, .warned), (-250, .warned), (1_999, .warned),
    (2_000, .severe), (-2_000, .severe),
  ])
  func `skew is warned about from 250 ms, and stops claims from 2 s`(lead: Int, degree: Skew.Degree)
  {
    #expect(skew(lead: lead).degree == degree)
    #expect(skew(lead: lead, duration: 400).degree == degree)
    #expect(skew(lead: lead).allowsClaims == (degree != .severe))
  }

  @Test func `a slow answer measures no skew and allows no claims`() {
    #expect(skew(lead: 9_000, duration: 501).lead == nil)
    #expect(!skew(lead: 0, duration: 501).allowsClaims)
  }
}
