import CivilTime

/// The series of one entity that the person has ended, and may have resumed since: a register, of
/// which the latest stamp wins.
package struct EntityStop: Hashable, Sendable {
  package var reminder: Symbol
  /// The identifier of the entity, byte for byte.
  package let identifier: String
  package var stamp: Stamp
  /// Whether the person has resumed the series.
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

  /// When the person ended a reminder's series of an entity; nil if they did not, or resumed it.
  func stop(of reminder: Symbol, about identifier: String) -> Stamp? {
    entityStops.first { $0.isOf(reminder, identifier) }
      .flatMap { $0.isResumed ? nil : $0.stamp }
  }

  /// Forgets the stops of entities that the facts have forgotten: when such an entity is reported
  /// again, that is later than its stop.
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
  /// Whether its event has an identifier. A selection of events keeps it among the details.
  fileprivate func names(_ wanted: ExactText) -> Bool {
    if let identifier { return ExactText(identifier) == wanted }
    return details.contains { detail in
      if case .text(let text) = detail.value { ExactText(text) == wanted } else { false }
    }
  }
}

extension EntityStop {
  /// - Parameter base: the instant from which stored times are differences.
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
