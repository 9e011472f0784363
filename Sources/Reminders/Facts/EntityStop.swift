import CivilTime

/// The state of a reminder's series of one entity, which the recipient has ended or resumed. A
/// register: the latest stamp wins.
package struct EntityStop: Hashable, Sendable {
  package var reminder: Symbol
  /// The identifier of the entity, byte for byte.
  package let identifier: String
  package var stamp: Stamp
  /// Whether the recipient has resumed the series.
  package let isResumed: Bool

  package init(reminder: Symbol, identifier: String, stamp: Stamp, isResumed: Bool) {
    self.reminder = reminder
    self.identifier = identifier
    self.stamp = stamp
    self.isResumed = isResumed
  }

  fileprivate func isBefore(_ other: EntityStop) -> Bool {
    guard reminder == other.reminder else { return reminder < other.reminder }
    return ExactText(identifier) < ExactText(other.identifier)
  }

  fileprivate func isOf(_ reminder: Symbol, _ identifier: String) -> Bool {
    self.reminder == reminder && ExactText(self.identifier) == ExactText(identifier)
  }
}

extension Facts {
  /// Ends or resumes a reminder's series of one entity. Commutative.
  package mutating func note(_ stop: EntityStop) {
    let index = entityStops.firstIndex { !$0.isBefore(stop) } ?? entityStops.endIndex
    guard index < entityStops.endIndex, !stop.isBefore(entityStops[index]) else {
      return entityStops.insert(stop, at: index)
    }
    if entityStops[index].stamp < stop.stamp { entityStops[index] = stop }
  }

  /// Returns when the recipient ended a reminder's series of an entity; nil if it is not ended.
  func stop(of reminder: Symbol, about identifier: String) -> Stamp? {
    entityStops.first { $0.isOf(reminder, identifier) }
      .flatMap { $0.isResumed ? nil : $0.stamp }
  }

  /// Forgets the stops of entities that the facts have forgotten. If such an entity is reported
  /// again, the report is later than the stop and would override it.
  ///
  /// - Complexity: linear in the items for each stop.
  mutating func forgetEntityStops() {
    guard !entityStops.isEmpty else { return }
    Work.count(items.count * entityStops.count)
    entityStops.removeAll { stop in
      !items.contains { $0.names(ExactText(stop.identifier)) }
    }
  }
}

extension Item {
  /// Whether it belongs to the entity with an identifier. Items of a selection of events have the
  /// identifier among their details.
  fileprivate func names(_ wanted: ExactText) -> Bool {
    if let identifier { return ExactText(identifier) == wanted }
    return details.contains { detail in
      if case .text(let text) = detail.value { ExactText(text) == wanted } else { false }
    }
  }
}

extension EntityStop {
  /// - Parameter base: the instant from which stored times count.
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(reminder)
    writer.text(identifier)
    writer.stamp(stamp, since: base)
    writer.unsigned(isResumed ? 1 : 0)
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    reminder = try reader.symbol()
    identifier = try reader.text()
    stamp = try reader.stamp(since: base)
    isResumed = try reader.byte() == 1
  }
}
