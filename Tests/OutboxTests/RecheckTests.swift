import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Store
import Testing

/// Rule V7: the gates are evaluated again before each attempt.
@Suite struct RecheckTests {
  private static let context = Result {
    let zones = try ZoneDatabase(generation: 1)
    let planner = Planner(
      catalog: Catalog(), zones: zones, defaultZone: try zones.zone(named: "UTC"))
    let facts = Recipient(name: "amina", now: Fixtures.noon).facts
    return PlanningContext(facts: facts, planner: planner)
  }

  private func retry(_ notification: Int64, _ channel: Channel = .push, expired: Bool) -> Retry {
    var delivery = Fixtures.delivery(notification, channel)
    if expired { delivery.expiry = Fixtures.noon - .seconds(1) }
    return Retry(sink: "one", delivery: delivery, attempts: 1)
  }

  private func recheck(
    _ retries: [Retry], _ channelProgress: [Int64: ChannelProgress] = [:]
  ) throws -> Recheck {
    var recheck = Recheck(
      retries, [1: try Self.context.get()], replaced: [], now: Fixtures.noon)
    #expect(
      recheck.dropped.allSatisfy { number in
        retries.contains {
          $0.delivery.notification == number && $0.delivery.expiry < Fixtures.noon
        }
      })
    recheck.conclude(channelProgress)
    return recheck
  }

  @Test func `V7: unexpired retries pass and expired retries are dropped`() throws {
    let recheck = try recheck([retry(1, expired: false), retry(2, expired: true)])
    #expect(recheck.passing.map(\.delivery.notification) == [1])
    #expect(recheck.effects.changes.ended == [.init(notification: 2, channel: .push)])
    #expect(recheck.effects.changes.laterAttempts.map(\.reason) == ["expired"])
    #expect(recheck.effects.changes.waiting.isEmpty)
  }

  @Test func `V8: a notification is dropped when all its channels are dropped`() throws {
    let both: ChannelSet = [ChannelSet(.push), ChannelSet(.email)]
    let push = retry(1, expired: true)
    let oneOfTwo = try recheck([push], [1: ChannelProgress(channels: both)])
    #expect(oneOfTwo.effects.changes.verdicts.isEmpty, "the e-mail may still arrive")
    let last = try recheck(
      [push], [1: ChannelProgress(channels: both, dropped: ChannelSet(.email))])
    #expect(last.effects.changes.verdicts.map(\.outcome) == [.dropped])
    let together = try recheck(
      [push, retry(1, .email, expired: true)], [1: ChannelProgress(channels: both)])
    #expect(together.effects.changes.verdicts.map(\.outcome) == [.dropped])
  }

  @Test func `an expired in-app delivery gets no dropped verdict`() throws {
    let recheck = try recheck(
      [retry(1, .inapp, expired: true)], [1: ChannelProgress(channels: ChannelSet(.inapp))])
    #expect(recheck.effects.changes.verdicts.isEmpty)
    #expect(recheck.effects.changes.ended.count == 1)
  }

  @Test func `H4: retries of an unknown recipient do not pass`() {
    var recheck = Recheck([retry(1, expired: false)], [:], replaced: [], now: Fixtures.noon)
    recheck.conclude([:])
    #expect(recheck.passing.isEmpty && recheck.effects.changes.isEmpty)
  }
}
