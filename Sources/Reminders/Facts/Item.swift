package import CivilTime

/// What is remembered of one thing that events have spoken of: what the latest said.
package struct Item: Hashable, Sendable {
  package let type: Symbol
  /// What it is; nil for an event that stands for itself.
  package let identifier: String?
  package let stamp: Stamp
  package let details: [Detail]

  package func instant(_ field: Symbol) -> Instant? {
    for detail in details where detail.field == field {
      if case .instant(let instant) = detail.value { return instant }
    }
    return nil
  }

  /// A number that stands for the thing as long as there is one: what the keys of its occurrences
  /// are made of.
  package var code: UInt64 {
    if let identifier { return stableHash(identifier) }
    let time = UInt64(bitPattern: stamp.time.milliseconds)
    return mixed(time) ^ mixed(UInt64(bitPattern: stamp.order) &+ 1)
  }

  /// The key of an occurrence that it has but one of.
  var occurrenceKey: Int64 { Int64(code >> 1) }

  /// The last instant of which it speaks.
  var horizon: Instant {
    details.reduce(stamp.time) { latest, detail in
      if case .instant(let instant) = detail.value { max(latest, instant) } else { latest }
    }
  }
}

extension Item: Comparable {
  /// By type, then by identifier, then by stamp: the order in which they are kept.
  package static func < (left: Item, right: Item) -> Bool {
    if left.type != right.type { return left.type < right.type }
    let (one, other) = (left.identifier ?? "", right.identifier ?? "")
    return one == other ? left.stamp < right.stamp : one < other
  }
}
