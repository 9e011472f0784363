package import CivilTime

/// The tickets of one kind, with which a browser gets access to the console or to a download. Each
/// can be used once, within a minute, and is stored in memory only. The number of open tickets is
/// limited, for each principal and in total (rule H15).
///
/// Lifetimes use a monotonic clock.
package struct OneTimeTickets: Sendable {
  /// The access that a ticket gives, and the caller that requested the ticket.
  package struct Grant: Hashable, Sendable {
    package let scope: AccessScope
    /// The name of the caller that requested the ticket.
    package let grantor: String

    package init(scope: AccessScope, grantor: String) {
      self.scope = scope
      self.grantor = grantor
    }
  }

  private struct Ticket {
    /// The ticket's digest and scope. The name of the record is the grantor's.
    let record: TokenRecord
    /// The token of the caller that requested the ticket, or the caller's name if it has no token.
    let principal: String
    /// The instant from which the ticket is not valid.
    let end: ContinuousClock.Instant
  }

  package static let lifetime = TimeSpan.seconds(60)
  /// The maximum number of open tickets of all principals together, and of one principal.
  private static let openMax = 4_096
  private static let openMaxPerPrincipal = 16

  private var tickets: [String: Ticket] = [:]

  package init() {}

  /// Adds a ticket and returns its secret; nil if too many tickets are open.
  ///
  /// - Parameter principal: the token of the caller, or the caller's name if it has no token. The
  ///   open tickets of each principal are limited.
  package mutating func issue(
    _ secret: TokenSecret, for grant: Grant, to principal: String, at now: ContinuousClock.Instant
  ) -> TokenSecret? {
    tickets = tickets.filter { now < $0.value.end }
    guard tickets.count < Self.openMax,
      tickets.values.count(where: { $0.principal == principal }) < Self.openMaxPerPrincipal
    else { return nil }
    let record = TokenRecord(
      identifier: secret.identifier, name: grant.grantor, scope: grant.scope,
      digest: secret.digest, created: Instant(milliseconds: 0))
    let lifetime = Duration.milliseconds(Self.lifetime.milliseconds)
    tickets[secret.identifier] = Ticket(
      record: record, principal: principal, end: now + lifetime)
    return secret
  }

  /// Uses up a ticket and returns its grant; nil if the ticket is unknown, used or too old. A
  /// secret of which only the public part matches does not use up the ticket.
  package mutating func redeem(_ secret: TokenSecret, at now: ContinuousClock.Instant) -> Grant? {
    let grant = grant(of: secret, at: now)
    if grant != nil { tickets[secret.identifier] = nil }
    return grant
  }

  /// Returns a ticket's grant without using it up; nil if the ticket is not valid.
  package func grant(of secret: TokenSecret, at now: ContinuousClock.Instant) -> Grant? {
    guard let ticket = tickets[secret.identifier], secret.matches(ticket.record), now < ticket.end
    else { return nil }
    return Grant(scope: ticket.record.scope, grantor: ticket.record.name)
  }
}
