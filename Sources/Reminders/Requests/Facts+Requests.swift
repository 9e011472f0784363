import CivilTime

/// A record that a request was cancelled. The cancellation may arrive before the request.
package struct Withdrawal: Hashable, Sendable {
  package let identity: EventIdentity
  /// The key of the request, if it is known.
  package internal(set) var key: Int64?
  package internal(set) var stamp: Stamp
}

extension Facts {
  /// The maximum number of a recipient's pending requests (rule H12).
  package static let requestsMax = 1_000
  /// The maximum number of remembered withdrawals.
  package static let withdrawalsMax = 1_000
  /// The maximum age of a remembered withdrawal, relative to the latest one. Withdrawals are
  /// remembered because their requests may still arrive.
  private static let withdrawalLifetime = TimeSpan.days(30)

  package func request(_ key: Int64) -> RequestPlan? {
    requests.isEmpty ? nil : requests.plan(of: key)
  }

  /// Returns whether the request with a key was made before another.
  func isEarlier(request key: Int64, than other: Int64) -> Bool {
    guard key != other, let one = request(key), let another = request(other) else {
      return key < other
    }
    return RequestPlan.isEarlier(one, another)
  }

  /// Returns the withdrawal of a request, whether or not the request has arrived.
  package func withdrawal(of identity: EventIdentity) -> Withdrawal? {
    withdrawalIndex(identity).map { withdrawals[$0] }
  }

  /// Adds a request unless it was withdrawn, in whatever order request and withdrawal arrive. Of
  /// two requests with one identity, the earlier stays. The second arrives here only after the
  /// store has removed the event of the first; until then it is recognized as a repetition.
  mutating func note(_ request: RequestedNotification) {
    if let index = withdrawalIndex(request.identity) {
      let key = request.plan.key
      withdrawals[index].key = min(withdrawals[index].key ?? key, key)
      return
    }
    if let existing = plan(of: request.identity) {
      guard request.plan.stamp < existing.stamp else { return }
      requests.remove(existing.key)
    }
    requests.insert(request)
  }

  /// Records that a request was cancelled, and removes it if it has arrived.
  ///
  /// - Parameter key: the request's key if the request is known to be finished; otherwise nil.
  mutating func withdraw(_ identity: EventIdentity, key: Int64?, at stamp: Stamp) {
    var key = key
    if let plan = plan(of: identity) {
      key = plan.key
      requests.remove(plan.key)
    }
    if let index = withdrawalIndex(identity) {
      withdrawals[index].key = withdrawals[index].key ?? key
      withdrawals[index].stamp = max(withdrawals[index].stamp, stamp)
    } else {
      let withdrawal = Withdrawal(identity: identity, key: key, stamp: stamp)
      withdrawals.insert(withdrawal, at: withdrawals.partitionPoint { $0.identity < identity })
    }
    forgetWithdrawals()
  }

  /// Removes the withdrawals that are more than 30 days older than the latest. Also removes the
  /// excess over the maximum number: first withdrawals whose request has arrived, then the
  /// earliest.
  private mutating func forgetWithdrawals() {
    Work.count(withdrawals.count)
    guard let times = withdrawalTimes else { return }
    let oldest = times.upperBound - Self.withdrawalLifetime
    if times.lowerBound < oldest { withdrawals.removeAll { $0.stamp.time < oldest } }
    guard withdrawals.count > Self.withdrawalsMax else { return }
    let isForgottenBefore = { (left: Withdrawal, right: Withdrawal) in
      (left.key == nil) == (right.key == nil)
        ? left.stamp < right.stamp : left.key != nil
    }
    let excess = withdrawals.count - Self.withdrawalsMax
    let forgotten = Set(withdrawals.sorted(by: isForgottenBefore).prefix(excess).map(\.identity))
    withdrawals.removeAll { forgotten.contains($0.identity) }
  }

  /// The instants of the earliest and the latest withdrawal; nil if there is none. Elements are
  /// read by index, because an iteration copies each withdrawal.
  private var withdrawalTimes: ClosedRange<Instant>? {
    guard var earliest = withdrawals.first?.stamp.time else { return nil }
    var latest = earliest
    for index in withdrawals.indices {
      earliest = min(earliest, withdrawals[index].stamp.time)
      latest = max(latest, withdrawals[index].stamp.time)
    }
    return earliest...latest
  }

  /// Removes finished requests.
  mutating func forget(requests keys: Set<Int64>) {
    guard !keys.isEmpty else { return }
    Work.count(requests.count)
    for key in keys { requests.remove(key) }
  }

  private func plan(of identity: EventIdentity) -> RequestPlan? {
    guard !requests.isEmpty else { return nil }
    Work.count(requests.count)
    return requests.plan(of: identity)
  }

  private func withdrawalIndex(_ identity: EventIdentity) -> Int? {
    guard !withdrawals.isEmpty else { return nil }
    let index = withdrawals.partitionPoint { $0.identity < identity }
    return index < withdrawals.endIndex && withdrawals[index].identity == identity ? index : nil
  }
}
