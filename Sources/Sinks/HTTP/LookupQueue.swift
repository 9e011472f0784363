/// What a host's name stands for, or why nobody can say.
package typealias Finding = Result<[NetworkAddress], HTTPFailure>

/// Which names are looked up now, which wait for that, and what was found of late.
///
/// People choose hosts, and a name whose servers do not answer holds a lookup for many seconds. So
/// a name that was slow the last time, and one of which nothing is known, find less room than one
/// that was quick, and come after it. Where a name finds no room, what it stood for a while ago
/// will do.
package struct LookupQueue<Waiter> {
  /// Somebody's place among those who wait for a name.
  package struct Ticket: Sendable {
    fileprivate let host: String
    fileprivate let number: Int
    /// Whether the lookup was under way from the first: then all the time goes to the name's
    /// servers.
    package let isUnderWay: Bool
  }

  /// What becomes of who asks.
  package enum Turn {
    case known(Finding)
    /// The lookup is to be made now.
    case begin(Ticket)
    case wait(Ticket)
  }

  /// What the last lookup says of the next one, the best first.
  private enum Standing: Int {
    case quick, unknown, slow

    /// So many lookups are under way at most when one of this standing has begun.
    var room: Int {
      switch self {
      case .quick: 8
      case .unknown: 6
      case .slow: 4
      }
    }
  }

  private struct Memory {
    let finding: Finding
    let time: ContinuousClock.Instant
    let standing: Standing
  }

  private let freshness: Duration
  private var memories: [String: Memory] = [:]
  /// When each lookup that is under way began.
  private var starts: [String: ContinuousClock.Instant] = [:]
  /// By host, and by number in the order in which they came.
  private var waiters: [String: [Int: Waiter]] = [:]
  private var lastNumber = 0

  /// A name server that is well answers within this, even if one packet is lost.
  private static var quickMax: Duration { .seconds(2) }
  /// The time for which most names may be remembered by what their owners say of them.
  private static var ageMax: Duration { .seconds(300) }
  private static var hostsMax: Int { 1_024 }

  /// - Parameter freshness: for how long a name is not looked up again, even if there is room.
  package init(freshness: Duration) {
    self.freshness = freshness
  }

  package mutating func ask(
    _ host: String, _ waiter: Waiter, now: ContinuousClock.Instant
  ) -> Turn {
    if let finding = known(host, now) { return .known(finding) }
    let begins = starts[host] == nil && hasRoom(for: host)
    if begins { starts[host] = now }
    lastNumber += 1
    waiters[host, default: [:]][lastNumber] = waiter
    let ticket = Ticket(host: host, number: lastNumber, isUnderWay: starts[host] != nil)
    return begins ? .begin(ticket) : .wait(ticket)
  }

  /// - Returns: who waited for the lookup that has ended, and the host whose name is to be looked
  ///   up in its place. It is one at most, because only this makes room.
  package mutating func finish(
    _ host: String, _ finding: Finding, now: ContinuousClock.Instant
  ) -> (waiters: [Waiter], next: String?) {
    let span = starts.removeValue(forKey: host).map { now - $0 } ?? .zero
    let standing = span > Self.quickMax ? Standing.slow : .quick
    remember(Memory(finding: finding, time: now, standing: standing), of: host)
    let answered = waiters.removeValue(forKey: host) ?? [:]
    return (Array(answered.values), next(now))
  }

  /// Somebody waits no longer. A lookup that nobody waits for any more is not begun.
  ///
  /// - Returns: nil for who has been answered.
  package mutating func leave(_ ticket: Ticket) -> Waiter? {
    let waiter = waiters[ticket.host]?.removeValue(forKey: ticket.number)
    if waiters[ticket.host]?.isEmpty == true { waiters[ticket.host] = nil }
    return waiter
  }

  private func known(_ host: String, _ now: ContinuousClock.Instant) -> Finding? {
    guard let memory = memories[host] else { return nil }
    let age = now - memory.time
    if age < freshness { return memory.finding }
    guard age < Self.ageMax, starts[host] == nil, !hasRoom(for: host),
      case .success = memory.finding
    else { return nil }
    return memory.finding
  }

  private mutating func next(_ now: ContinuousClock.Instant) -> String? {
    let first = waiters.keys.filter { starts[$0] == nil }.min { place(of: $0) < place(of: $1) }
    guard let first, hasRoom(for: first) else { return nil }
    starts[first] = now
    return first
  }

  private func place(of host: String) -> (Int, Int) {
    (standing(of: host).rawValue, waiters[host]?.keys.min() ?? .max)
  }

  private func standing(of host: String) -> Standing { memories[host]?.standing ?? .unknown }

  private func hasRoom(for host: String) -> Bool { starts.count < standing(of: host).room }

  /// Those that are in use have been looked up of late, and stay.
  private mutating func remember(_ memory: Memory, of host: String) {
    if memories.count >= Self.hostsMax, memories[host] == nil,
      let oldest = memories.min(by: { $0.value.time < $1.value.time })
    {
      memories[oldest.key] = nil
    }
    memories[host] = memory
  }
}
