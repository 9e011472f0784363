import Access
import CivilTime
import Testing

/// Rule H17: the reports of tokens around their expiry.
@Suite struct EndingTokenTests {
  private let now = Instant(milliseconds: 1_772_416_800_000)

  private func token(
    _ scope: AccessScope = .administrator, name: String = "backend",
    for lifetime: TimeSpan? = TokenRecord.defaultLifetime, revoked: Instant? = nil
  ) -> EndingToken? {
    EndingToken(
      TokenRecord(
        identifier: "a2", name: name, scope: scope, digest: [], created: now,
        expiry: lifetime.map { now + $0 }, revoked: revoked))
  }

  @Test(arguments: [(15, false), (16, true), (30, true), (43, true), (44, false)])
  func `H17: a token is reported from 14 days before its expiry until 14 days after`(
    day: Int, isReported: Bool
  ) throws {
    #expect(try #require(token()).isReported(at: now + .days(day)) == isReported)
  }

  /// With the limit of 14 days alone, a token valid for a week would be reported from its creation.
  @Test(arguments: [(7, 3, false), (7, 4, true), (14, 6, false), (14, 7, true), (28, 14, true)])
  func `H17: a token is reported for at most half its lifetime before its expiry`(
    lifetime: Int, day: Int, isReported: Bool
  ) throws {
    let ending = try #require(token(for: .days(lifetime)))
    #expect(ending.isReported(at: now + .days(day)) == isReported)
    #expect(ending.isReported(at: now + .days(lifetime + 13)))
    #expect(ending.nextChange(after: now) == now + .hours(lifetime * 12))
  }

  @Test func `H17: a report changes at the expiry`() throws {
    let ending = try #require(token())
    var (changes, last) = ([Instant](), now)
    while let next = ending.nextChange(after: last) {
      changes.append(next)
      last = next
    }
    #expect(changes == [16, 30, 44].map { now + .days($0) })
    #expect(
      ending.sentence(at: now + .days(29))
        == "token a2 \"backend\" expires at 2026-04-01T02:00:00.000Z")
    #expect(
      ending.sentence(at: now + .days(30))
        == "token a2 \"backend\" has expired: it was valid until 2026-04-01T02:00:00.000Z")
  }

  /// Observers see these reports, but may see no recipient.
  @Test func `H17: no token of a recipient is reported`() {
    #expect(token(.recipient("u1")) == nil)
    #expect(token(.observer) != nil && token(.support) != nil)
  }

  @Test func `H17: a revoked token, one without expiry and one of a session are not reported`() {
    #expect(token(revoked: now) == nil)
    #expect(token(for: nil) == nil)
    #expect(token(for: .hours(12)) == nil && token(for: .days(1)) == nil)
    #expect(token(for: .hours(25)) != nil)
  }

  @Test func `H17: a successor has the same name, scope and lifetime`() {
    #expect(token()?.successor == "chimectl token create backend --scope admin")
    #expect(
      token(.support, name: "Ann's desk", for: .days(365))?.successor
        == #"chimectl token create 'Ann'\''s desk' --scope support --for 365d"#)
    #expect(
      token(.support, name: "Ann'\u{301}s desk")?.successor
        == "chimectl token create 'Ann'\\''\u{301}s desk' --scope support")
    #expect(
      token(for: .hours(36))?.successor
        == "chimectl token create backend --scope admin --for P1DT12H")
  }

  @Test func `H19: a successor may report the same events`() throws {
    let types = ["lesson.completed", "relapse"]
    let grant = try #require(ReportGrant(types: types, source: "-my app"))
    #expect(
      token(.report(grant))?.successor
        == "chimectl token create backend --scope report --types lesson.completed,relapse "
        + "--source='-my app'")
    #expect(
      token(.report(.unlimited))?.successor == "chimectl token create backend --scope report")
  }

  @Test func `H17: a successor's name that begins with a hyphen is no option`() {
    #expect(
      token(name: "-1 day", for: .days(7))?.successor
        == "chimectl token create --scope admin --for 7d -- '-1 day'")
  }
}
