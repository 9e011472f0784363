/// The result of a lookup: the addresses of a host, or the reason why there are none.
package typealias Finding = Result<[NetworkAddress], HTTPTransferError>

/// The lookups of names in progress, the lookups that wait, and recent results.
///
/// Recipients can choose hosts, and a name whose servers do not answer occupies a lookup for many
/// seconds. So names whose last lookup was quick have more capacity and a higher priority. Names
/// that were slow, or that were not looked up before, have less. A name that has to wait for
/// capacity uses its previous result meanwhile.
package struct LookupQueue<Waiter> {
  /// A caller's entry in the queue for a name.
  package struct Ticket: Sendable {
    fileprivate let host: String
    fileprivate let number: Int
    /// Whether the lookup of the name began immediately or was already in progress. If so, the
    /// caller waits only for the name's servers.
    package let hasBegun: Bool
  }

  /// The next step of a caller.
  package enum NextStep {
    /// A stored result answers the caller.
    case known(Finding)
    /// The caller starts the lookup now.
    case begin(Ticket)
    /// The caller waits for a lookup that is in progress, or that begins when there is capacity.
    case wait(Ticket)
  }

  /// The expected speed of a name's next lookup, which is the speed of its last lookup; the fastest
  /// first.
  private enum Speed: Int {
    case quick, unknown, slow

    /// The capacity: a lookup of this speed begins only while fewer lookups are in progress.
    var capacity: Int {
      switch self {
      case .quick: 8
      case .unknown: 6
      case .slow: 4
      }
    }
  }

  private struct StoredResult {
    let finding: Finding
    /// When the lookup ended.
    let time: ContinuousClock.Instant
    let speed: Speed
  }

  /// How long a result is used without another lookup, even if there is capacity.
  private let freshness: Duration
  /// The result of each host's last lookup.
  private var storedResults: [String: StoredResult] = [:]
  /// The start time of each lookup in progress, by host.
  private var starts: [String: ContinuousClock.Instant] = [:]
  /// The waiting callers by host and by number, in order of arrival.
  private var waiters: [String: [Int: Waiter]] = [:]
  /// The number of the latest ticket.
  private var lastNumber = 0

  /// The longest duration of a quick lookup. A working name server answers within this time, even
  /// if one packet is lost.
  private static var quickMax: Duration { .seconds(2) }
  /// How long a result is used while there is no capacity to look the name up again. Most names
  /// have at least this TTL.
  private static var ageMax: Duration { .seconds(300) }
  /// The maximum number of stored results.
  private static var hostsMax: Int { 1_024 }

  /// - Parameter freshness: how long a result is used without another lookup, even if there is
  ///   capacity.
  package init(freshness: Duration) {
    self.freshness = freshness
  }

  /// Adds a caller that needs the addresses of a host, unless a stored result answers it.
  package mutating func enqueue(
    _ host: String, _ waiter: Waiter, now: ContinuousClock.Instant
  ) -> NextStep {
    if let finding = recentFinding(host, now) { return .known(finding) }
    let startsNow = starts[host] == nil && hasCapacity(for: host)
    if startsNow { starts[host] = now }
    lastNumber += 1
    waiters[host, default: [:]][lastNumber] = waiter
    let ticket = Ticket(host: host, number: lastNumber, hasBegun: starts[host] != nil)
    return startsNow ? .begin(ticket) : .wait(ticket)
  }

  /// Records the result of a lookup.
  ///
  /// - Returns: the callers that waited for the finished lookup, and the host to look up next; nil
  ///   if there is none. A finished lookup frees capacity for at most one.
  package mutating func finish(
    _ host: String, _ finding: Finding, now: ContinuousClock.Instant
  ) -> (waiters: [Waiter], next: String?) {
    let span = starts.removeValue(forKey: host).map { now - $0 } ?? .zero
    let speed = span > Self.quickMax ? Speed.slow : .quick
    store(StoredResult(finding: finding, time: now, speed: speed), of: host)
    let answered = waiters.removeValue(forKey: host) ?? [:]
    return (Array(answered.values), next(now))
  }

  /// Removes a caller that stops waiting. A lookup for which no caller waits any more is not
  /// started.
  ///
  /// - Returns: nil if the caller has been answered.
  package mutating func remove(_ ticket: Ticket) -> Waiter? {
    let waiter = waiters[ticket.host]?.removeValue(forKey: ticket.number)
    if waiters[ticket.host]?.isEmpty == true { waiters[ticket.host] = nil }
    return waiter
  }

  /// Returns a fresh result. Without capacity for a new lookup, an older success also counts.
  private func recentFinding(_ host: String, _ now: ContinuousClock.Instant) -> Finding? {
    guard let stored = storedResults[host] else { return nil }
    let age = now - stored.time
    if age < freshness { return stored.finding }
    guard age < Self.ageMax, starts[host] == nil, !hasCapacity(for: host),
      case .success = stored.finding
    else { return nil }
    return stored.finding
  }

  /// Records the start of the next waiting lookup; returns its host, or nil if none can start.
  private mutating func next(_ now: ContinuousClock.Instant) -> String? {
    let nextHost = waiters.keys.filter { starts[$0] == nil }.min { rank(of: $0) < rank(of: $1) }
    guard let nextHost, hasCapacity(for: nextHost) else { return nil }
    starts[nextHost] = now
    return nextHost
  }

  /// The priority of a waiting host, the least first: by expected speed, then by arrival.
  private func rank(of host: String) -> (Int, Int) {
    (speed(of: host).rawValue, waiters[host]?.keys.min() ?? .max)
  }

  private func speed(of host: String) -> Speed { storedResults[host]?.speed ?? .unknown }

  private func hasCapacity(for host: String) -> Bool { starts.count < speed(of: host).capacity }

  /// Stores a result; at the limit, evicts the oldest result. Results of names in use are recent
  /// and stay.
  private mutating func store(_ stored: StoredResult, of host: String) {
    if storedResults.count >= Self.hostsMax, storedResults[host] == nil,
      let oldest = storedResults.min(by: { $0.value.time < $1.value.time })
    {
      storedResults[oldest.key] = nil
    }
    storedResults[host] = stored
  }
}
