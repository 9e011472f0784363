package import CivilTime

/// The tickets by which somebody at the service's own machine lets a browser in: each is good once,
/// for a minute, and is in memory alone.
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
    let end: ContinuousClock.Instant
  }

  package static let lifetime = TimeSpan.seconds(60)
  private static let mostAtOnce = 256

  private var tickets: [String: Ticket] = [:]

  package init() {}

  /// Keeps a ticket; nil if there are too many that nobody has used.
  package mutating func issue(
    _ secret: TokenSecret, for grant: Grant, at now: ContinuousClock.Instant
  ) -> TokenSecret? {
    tickets = tickets.filter { now < $0.value.end }
    guard tickets.count < Self.mostAtOnce else { return nil }
    let record = TokenRecord(
      identifier: secret.identifier, name: grant.grantor, scope: grant.scope,
      digest: secret.digest, created: Instant(milliseconds: 0))
    let lifetime = Duration.milliseconds(Self.lifetime.milliseconds)
    tickets[secret.identifier] = Ticket(record: record, end: now + lifetime)
    return secret
  }

  /// Takes a ticket, which is gone then; nil for one that never was, is used or is too old. Who
  /// knows only its public part does not use it up.
  package mutating func redeem(_ secret: TokenSecret, at now: ContinuousClock.Instant) -> Grant? {
    guard let ticket = tickets[secret.identifier], secret.matches(ticket.record) else { return nil }
    tickets[secret.identifier] = nil
    guard now < ticket.end else { return nil }
    return Grant(scope: ticket.record.scope, grantor: ticket.record.name)
  }
}
