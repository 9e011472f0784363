import Fleet

/// Counts repeated deliveries. After a takeover, no more deliveries than can be in flight may be
/// repeated, and they must keep their ids.
struct RepeatCount {
  private struct Attempt: Hashable {
    let tenure: Tenure
    let holder: Incarnation
  }

  private var attempts: [Int64: [Attempt]] = [:]
  /// The id under which each occurrence was delivered.
  private(set) var deliveredIDs: [Int: Int64] = [:]
  /// The repeated deliveries of each node.
  private var repeated: [Incarnation: Set<Int64>] = [:]

  var count: Int { repeated.values.reduce(0) { $0 + $1.count } }

  /// - Returns: the finding, if any.
  mutating func add(_ delivery: ModelDelivery) -> String? {
    let other = deliveredIDs.updateValue(delivery.id, forKey: delivery.occurrence)
    if let other, other != delivery.id {
      return "invariant 4: occurrence \(delivery.occurrence) was delivered under two ids"
    }
    let attempt = Attempt(tenure: delivery.tenure, holder: delivery.holder)
    let before = attempts[delivery.id] ?? []
    attempts[delivery.id] = before + [attempt]
    guard !before.contains(attempt) else {
      return "delivery \(delivery.id) was repeated by its own sender"
    }
    guard !before.isEmpty else { return nil }
    let earlier = before.filter { $0.tenure.epoch < attempt.tenure.epoch }
    let owner = earlier.max { $0.tenure.epoch < $1.tenure.epoch }?.holder ?? attempt.holder
    repeated[owner, default: []].insert(delivery.id)
    let count = repeated[owner]?.count ?? 0
    guard count > ModelEngine.window else { return nil }
    return "after one takeover \(count) deliveries were repeated"
  }
}
