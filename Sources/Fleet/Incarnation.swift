/// A node's presence in its fleet, from joining until it is fenced, which means that the store
/// refuses its transactions.
///
/// A random number identifies an incarnation. A host name does not suffice: it can belong to
/// another host later, or to two hosts at once. It also does not distinguish a restarted node from
/// its predecessor.
package struct Incarnation: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }

  package var description: String { String(number, radix: 16) }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// The ownership of a shard, from its claim until its release or the fencing of its owner.
package struct Tenure: Hashable, Sendable {
  package let shard: Int
  /// The epoch of the shard, which grows each time an owner loses the shard, so that no two tenures
  /// are equal.
  package let epoch: Int64

  package init(shard: Int, epoch: Int64) {
    (self.shard, self.epoch) = (shard, epoch)
  }
}
