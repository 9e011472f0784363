/// One life of a node in its fleet, from its joining until it is fenced.
///
/// A random number: a host's name could be another's tomorrow, or that of two at once, and who
/// starts again under it would be let in by what was meant for the one before.
package struct Incarnation: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }

  package var description: String { String(number, radix: 16) }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A shard in the hands of one owner, from its claim until it is given away or its owner fenced.
package struct Tenure: Hashable, Sendable {
  package let shard: Int
  /// Grows whenever an owner loses the shard, so that no two tenures of it are alike.
  package let epoch: Int64

  package init(shard: Int, epoch: Int64) {
    (self.shard, self.epoch) = (shard, epoch)
  }
}
