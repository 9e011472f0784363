package import CivilTime

/// The tickets by which somebody at the service's own machine lets a browser in: each is good once,
/// for a minute, and is in memory alone. Each principal has a share of them (rule H6).
///
/// Time is counted by a clock that nobody sets.
package struct ConsoleTickets: Sendable {
  /// What a ticket is good for.
  package struct Grant: Hashable, Sendable {
    package let scope: AccessScope
    /// Who asked for the ticket.
    package let grantor: String

    package init(scope: AccessScope, grantor: String) {
      self.scope = scope
      self.grantor = grantor
    }
  }

  private struct Ticket {
    /// With the grantor as its name.
    let record: TokenRecord
    let principal: String
    let end: ContinuousClock.Instant
  }

  package static let lifetime = TimeSpan.seconds(60)
  /// The number of tickets that wait to be used, in all and of one principal.
  private static let mostAtOnce = 4_096
  private static let share = 16

  private var tickets: [String: Ticket] = [:]

  package init() {}

  /// Keeps a ticket; nil if too many wait to be used.
  ///
  /// - Parameter principal: the one whose share it is of.
  package mutating func issue(
    _ secret: TokenSecret, for grant: Grant, to principal: String, at now: ContinuousClock.Instant
  ) -> TokenSecret? {
    tickets = tickets.filter { now < $0.value.end }
    guard tickets.count < Self.mostAtOnce,
      tickets.values.count(where: { $0.principal == principal }) < Self.share
    else { return nil }
    let record = TokenRecord(
      identifier: secret.identifier, name: grant.grantor, scope: grant.scope,
      digest: secret.digest, created: Instant(milliseconds: 0))
    let lifetime = Duration.milliseconds(Self.lifetime.milliseconds)
    tickets[secret.identifier] = Ticket(
      record: record, principal: principal, end: now + lifetime)
    return secret
  }

  /// Takes a ticket, which is gone then; nil for one that never was, is used or is too old. Who
  /// knows only its public part does not use it up.
  package mutating func redeem(_ secret: TokenSecret, at now: ContinuousClock.Instant) -> Grant? {
    let grant = grant(of: secret, at: now)
    if grant != nil { tickets[secret.identifier] = nil }
    return grant
  }

  /// What a ticket is good for, which is not used up by that.
  package func grant(of secret: TokenSecret, at now: ContinuousClock.Instant) -> Grant? {
    guard let ticket = tickets[secret.identifier], secret.matches(ticket.record), now < ticket.end
    else { return nil }
    return Grant(scope: ticket.record.scope, grantor: ticket.record.name)
  }
}
