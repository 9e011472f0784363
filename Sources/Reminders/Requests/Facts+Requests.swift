import CivilTime

/// A record that a request was cancelled. The cancellation may arrive before the request.
package struct CancelledRequest: Hashable, Sendable {
  package let identity: EventIdentity
  /// The key of the request, if it is known.
  package internal(set) var key: Int64?
  package internal(set) var stamp: Stamp
}

extension Facts {
  /// The maximum number of a recipient's pending requests (rule H12).
  package static let requestsMax = 1_000
  /// The maximum number of remembered cancelled requests.
  package static let cancelledRequestsMax = 1_000
  /// The maximum age of a remembered cancellation, relative to the latest one. Cancellations are
  /// remembered because their requests may still arrive.
  private static let cancellationLifetime = TimeSpan.days(30)

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

  /// Returns a request that was cancelled, whether or not the request has arrived.
  package func cancelledRequest(of identity: EventIdentity) -> CancelledRequest? {
    cancelledRequestIndex(identity).map { cancelledRequests[$0] }
  }

  /// Adds a request unless it was cancelled, in whatever order request and cancellation arrive. Of
  /// two requests with one identity, the earlier stays. The second arrives here only after the
  /// store has removed the event of the first; until then it is recognized as a repetition.
  mutating func note(_ request: RequestedNotification) {
    if let index = cancelledRequestIndex(request.identity) {
      let key = request.plan.key
      cancelledRequests[index].key = min(cancelledRequests[index].key ?? key, key)
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
    if let index = cancelledRequestIndex(identity) {
      cancelledRequests[index].key = cancelledRequests[index].key ?? key
      cancelledRequests[index].stamp = max(cancelledRequests[index].stamp, stamp)
    } else {
      let cancelled = CancelledRequest(identity: identity, key: key, stamp: stamp)
      cancelledRequests.insert(
        cancelled, at: cancelledRequests.partitionPoint { $0.identity < identity })
    }
    forgetCancelledRequests()
  }

  /// Forgets the cancellations that are more than 30 days older than the latest. Also removes the
  /// excess over the maximum number: first those whose request has arrived, then the
  /// earliest.
  private mutating func forgetCancelledRequests() {
    Work.count(cancelledRequests.count)
    guard let times = cancellationTimes else { return }
    let oldest = times.upperBound - Self.cancellationLifetime
    if times.lowerBound < oldest { cancelledRequests.removeAll { $0.stamp.time < oldest } }
    guard cancelledRequests.count > Self.cancelledRequestsMax else { return }
    let isForgottenBefore = { (left: CancelledRequest, right: CancelledRequest) in
      (left.key == nil) == (right.key == nil)
        ? left.stamp < right.stamp : left.key != nil
    }
    let excess = cancelledRequests.count - Self.cancelledRequestsMax
    let forgotten = Set(
      cancelledRequests.sorted(by: isForgottenBefore).prefix(excess).map(\.identity))
    cancelledRequests.removeAll { forgotten.contains($0.identity) }
  }

  /// The instants of the earliest and the latest cancellation; nil if there is none. Elements are
  /// read by index, because an iteration copies each element.
  private var cancellationTimes: ClosedRange<Instant>? {
    guard var earliest = cancelledRequests.first?.stamp.time else { return nil }
    var latest = earliest
    for index in cancelledRequests.indices {
      earliest = min(earliest, cancelledRequests[index].stamp.time)
      latest = max(latest, cancelledRequests[index].stamp.time)
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

  private func cancelledRequestIndex(_ identity: EventIdentity) -> Int? {
    guard !cancelledRequests.isEmpty else { return nil }
    let index = cancelledRequests.partitionPoint { $0.identity < identity }
    return index < cancelledRequests.endIndex && cancelledRequests[index].identity == identity
      ? index : nil
  }
}
