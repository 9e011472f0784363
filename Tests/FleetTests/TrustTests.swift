import CivilTime
import Testing

@testable import Fleet

@Suite struct TrustTests {
  private let times = FleetTimes(lease: .seconds(5))

  private func moment(_ sinceBoot: Int, wall: Int? = nil) -> Moment {
    Moment(
      sinceBoot: .milliseconds(sinceBoot), wall: Instant(milliseconds: Int64(wall ?? sinceBoot)))
  }

  @Test func lastsForALeaseButASecondFromTheStartOfTheHeartbeat() {
    let trust = Trust(from: moment(1_000), times)
    #expect(trust.holds(at: moment(4_999)))
    #expect(!trust.holds(at: moment(5_000)))
    #expect(trust.end == .milliseconds(5_000))
  }

  @Test func theWallClockSaysNothingOfIt() {
    let trust = Trust(from: moment(1_000, wall: 1_000), times)
    #expect(trust.holds(at: moment(4_999, wall: 9_000_000)))
    #expect(!trust.holds(at: moment(5_000, wall: -9_000_000)))
  }

  @Test func aLeaseThatIsTooShortIsTheShortest() {
    #expect(FleetTimes(lease: .seconds(1)).lease == FleetTimes.leaseMin)
    #expect(FleetTimes(lease: .seconds(9)).lease == .seconds(9))
  }

  // MARK: - Contact

  /// Answers at these times: whether there has been contact for a lease at the end.
  private func hasLasted(_ answers: [Int], at now: Int) -> Bool {
    var contact = Contact()
    for answer in answers { contact.hear(at: .milliseconds(answer), times) }
    return contact.hasLasted(times.lease, at: .milliseconds(now), times)
  }

  @Test func contactIsALeaseOfAnswersWithoutAPause() {
    let regular = Array(stride(from: 0, through: 5_000, by: 1_000))
    #expect(hasLasted(regular, at: 5_000))
    #expect(!hasLasted(regular, at: 4_999))
    #expect(!hasLasted([], at: 9_000))
  }

  @Test func aPauseThatCouldMakeOthersLookSilentEndsIt() {
    #expect(hasLasted([0, 3_000, 6_000], at: 6_000))
    #expect(!hasLasted([0, 3_001, 6_000], at: 6_000))
    // Who has heard nothing since does not know how things stand.
    #expect(!hasLasted([0, 3_000, 6_000], at: 9_001))
  }

  // MARK: - The heartbeats of others

  @Test func aHeartbeatThatStaysTheSameIsStill() {
    var watch = HeartbeatWatch()
    let node = FleetStage.sees(FleetStage.other, heartbeat: 10)
    watch.look(at: [node], now: .seconds(1))
    watch.look(at: [node], now: .seconds(3))
    #expect(watch.isStill(FleetStage.other, for: .seconds(2), at: .seconds(3)))
    #expect(!watch.isStill(FleetStage.other, for: .seconds(3), at: .seconds(3)))
    watch.look(at: [FleetStage.sees(FleetStage.other, heartbeat: 9)], now: .seconds(4))
    #expect(!watch.isStill(FleetStage.other, for: .seconds(1), at: .seconds(4)))
    #expect(!watch.isStill(FleetStage.third, for: .zero, at: .seconds(4)))
  }

  // MARK: - Skew

  /// The node's clock is so far ahead, and the answer took so long.
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
  func skewIsWarnedOfAndThenClaimsNothing(lead: Int, degree: Skew.Degree) {
    #expect(skew(lead: lead).degree == degree)
    #expect(skew(lead: lead, duration: 400).degree == degree)
    #expect(skew(lead: lead).allowsClaims == (degree != .severe))
  }

  @Test func anAnswerThatTakesLongSaysNothingOfIt() {
    #expect(skew(lead: 9_000, duration: 501).lead == nil)
    #expect(!skew(lead: 0, duration: 501).allowsClaims)
  }
}
