import Access
import TestSupport
import Testing

@Suite struct OneTimeTicketsTests {
  private let now = ContinuousClock.now
  private let grant = OneTimeTickets.Grant(scope: .support, grantor: "user 0")

  private func issue(
    _ secret: TokenSecret, _ tickets: inout OneTimeTickets
  ) throws -> TokenSecret {
    let ticket = tickets.issue(secret, for: grant, to: "user 0", at: now)
    return try #require(ticket)
  }

  @Test func `a ticket can be redeemed once, within a minute`() throws {
    var generator = SplitMix64(seed: 1)
    var tickets = OneTimeTickets()
    let secret = TokenSecret(using: &generator)
    let ticket = try issue(secret, &tickets)
    let lastMoment = now + .milliseconds(59_999)
    let answers = (0..<2).map { _ in tickets.redeem(ticket, at: lastMoment) }
    #expect(answers == [grant, nil])
    let expiredTicket = try issue(TokenSecret(using: &generator), &tickets)
    let answer = tickets.redeem(expiredTicket, at: now + .seconds(60))
    #expect(answer == nil)
  }

  @Test func `a forged secret does not use up the ticket`() throws {
    var generator = SplitMix64(seed: 2)
    var tickets = OneTimeTickets()
    let ticket = try issue(TokenSecret(using: &generator), &tickets)
    let text = ticket.reveal()
    let last = text.last == "a" ? "b" : "a"
    let forged = try #require(TokenSecret(text.dropLast() + last))
    let answers = [tickets.redeem(forged, at: now), tickets.redeem(ticket, at: now)]
    #expect(answers == [nil, grant])
  }

  @Test func `H15: at most 16 tickets of one principal are open at once`() throws {
    var generator = SplitMix64(seed: 3)
    var tickets = OneTimeTickets()
    for _ in 0..<16 { _ = try issue(TokenSecret(using: &generator), &tickets) }
    let next = TokenSecret(using: &generator)
    let refused = tickets.issue(next, for: grant, to: "user 0", at: now)
    #expect(refused == nil)
    let otherPrincipalsTicket = tickets.issue(next, for: grant, to: "token 1", at: now)
    #expect(otherPrincipalsTicket != nil)
    let later = TokenSecret(using: &generator)
    let laterTicket = tickets.issue(later, for: grant, to: "user 0", at: now + .seconds(60))
    #expect(laterTicket != nil)
  }

  @Test func `H6: at most 4096 tickets of all principals are open at once`() throws {
    var generator = SplitMix64(seed: 4)
    var tickets = OneTimeTickets()
    func issue(_ number: Int) -> TokenSecret? {
      tickets.issue(
        TokenSecret(using: &generator), for: grant, to: "token \(number / 16)", at: now)
    }
    let first = (0..<4_096).map(issue)
    #expect(first.allSatisfy { $0 != nil })
    let refused = issue(4_096)
    #expect(refused == nil)
  }

  @Test func `H5: reading a ticket's grant does not use it up`() throws {
    var generator = SplitMix64(seed: 5)
    var tickets = OneTimeTickets()
    let ticket = try issue(TokenSecret(using: &generator), &tickets)
    #expect(tickets.grant(of: ticket, at: now) == grant)
    #expect(tickets.grant(of: ticket, at: now + .seconds(60)) == nil)
    let redeemedGrant = tickets.redeem(ticket, at: now)
    #expect(redeemedGrant == grant)
    #expect(tickets.grant(of: ticket, at: now) == nil)
  }
}
