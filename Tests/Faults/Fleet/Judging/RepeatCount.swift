import Fleet

/// Counts repeated deliveries. After a takeover, at most as many deliveries may be repeated as can
/// be in flight. Repeated deliveries must keep their ids.
struct RepeatCount {
  /// The circumstances of an attempt to transmit a delivery.
  private struct Attempt: Hashable {
    let tenure: Tenure
    let holder: Incarnation
  }

  /// The attempts of each delivery, by id.
  private var attempts: [Int64: [Attempt]] = [:]
  /// The id under which each occurrence was delivered.
  private(set) var deliveredIDs: [Int: Int64] = [:]
  /// The ids of the deliveries that were repeated after a takeover, by the former owner.
  private var repeated: [Incarnation: Set<Int64>] = [:]

  var count: Int { repeated.values.reduce(0) { $0 + $1.count } }

  /// Adds a delivery.
  ///
  /// - Returns: the finding about the delivery; nil if there is none.
  mutating func add(_ delivery: ModelDelivery) -> String? {
    let previousID = deliveredIDs.updateValue(delivery.id, forKey: delivery.occurrence)
    if let previousID, previousID != delivery.id {
      return "invariant 4: occurrence \(delivery.occurrence) was delivered under two ids"
    }
    let attempt = Attempt(tenure: delivery.tenure, holder: delivery.holder)
    let previousAttempts = attempts[delivery.id] ?? []
    attempts[delivery.id] = previousAttempts + [attempt]
    guard !previousAttempts.contains(attempt) else {
      return "delivery \(delivery.id) was repeated by its own sender"
    }
    guard !previousAttempts.isEmpty else { return nil }
    let ofFormerOwners = previousAttempts.filter { $0.tenure.epoch < attempt.tenure.epoch }
    let owner = ofFormerOwners.max { $0.tenure.epoch < $1.tenure.epoch }?.holder ?? attempt.holder
    repeated[owner, default: []].insert(delivery.id)
    let count = repeated[owner]?.count ?? 0
    guard count > ModelEngine.window else { return nil }
    return "after one takeover \(count) deliveries were repeated"
  }
}
