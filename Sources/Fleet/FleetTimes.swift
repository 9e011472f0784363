package import CivilTime

/// How long things take in a fleet; all of it follows from the lease.
package struct FleetTimes: Hashable, Sendable {
  /// Below it there is no room for a heartbeat, a slow answer and the margin.
  package static let leaseMin = TimeSpan.seconds(3)

  /// After how long a silence others take over.
  package let lease: TimeSpan
  /// How often a node says that it is there.
  package let heartbeat = TimeSpan.seconds(1)
  /// How often it looks at the others: a dead one is noticed by its session, so this is most of
  /// what a takeover takes.
  package let look = TimeSpan.milliseconds(500)
  /// How long to wait before the server is tried again.
  package let retry = TimeSpan.milliseconds(250)
  /// By how much a node ceases to trust itself before anybody else does.
  private let margin = TimeSpan.seconds(1)

  /// - Parameter lease: at least ``leaseMin``; what is shorter counts as that.
  package init(lease: TimeSpan = .seconds(5)) {
    self.lease = max(lease, Self.leaseMin)
  }

  /// How long a node trusts itself after the start of its last good heartbeat.
  package var trust: TimeSpan { lease - margin }

  /// The longest pause between two good answers that is contact. Whoever else heard nothing for as
  /// long, and last spoke a heartbeat before, is not silent for a lease yet.
  var gapMax: TimeSpan { lease - heartbeat - margin }

  /// After how long the server gives up a statement of the membership's. A few of them fit into the
  /// time for which a node trusts itself, so that one which waits for a lock costs nothing else.
  package var statementMax: TimeSpan { TimeSpan(milliseconds: trust.milliseconds / 4) }

  /// After how long without an answer the connection is ended: a heartbeat that is answered later
  /// gives no trust any more.
  package var answerMax: TimeSpan { trust }

  /// After how long what was sent, and not even received, ends the connection.
  package var receiptMax: TimeSpan { TimeSpan(milliseconds: trust.milliseconds / 2) }
}
