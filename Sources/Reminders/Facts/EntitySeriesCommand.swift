import CivilTime

/// A recipient's command that ended or resumed a reminder's series for one entity. Of several
/// commands for one series, the latest stamp wins.
package struct EntitySeriesCommand: Hashable, Sendable {
  package var reminder: Symbol
  /// The identifier of the entity, compared byte by byte.
  package let identifier: String
  package var stamp: Stamp
  /// Whether the recipient resumed the series; otherwise the recipient ended it.
  package let isResumed: Bool

  package init(reminder: Symbol, identifier: String, stamp: Stamp, isResumed: Bool) {
    self.reminder = reminder
    self.identifier = identifier
    self.stamp = stamp
    self.isResumed = isResumed
  }

  fileprivate func isBefore(_ other: Symbol, _ identifier: ExactText) -> Bool {
    reminder == other ? ExactText(self.identifier) < identifier : reminder < other
  }
}

extension Facts {
  /// Records that a reminder's series for one entity was ended or resumed. The order of calls does
  /// not matter.
  package mutating func note(_ stop: EntitySeriesCommand) {
    let location = location(of: stop.reminder, ExactText(stop.identifier))
    guard location.isKnown else { return entityStops.insert(stop, at: location.index) }
    if entityStops[location.index].stamp < stop.stamp { entityStops[location.index] = stop }
  }

  /// Returns the latest command that ended or resumed a reminder's series for an entity; nil if
  /// there is none.
  func entityStop(of reminder: Symbol, about identifier: String) -> EntitySeriesCommand? {
    let location = location(of: reminder, ExactText(identifier))
    return location.isKnown ? entityStops[location.index] : nil
  }

  private func location(
    of reminder: Symbol, _ identifier: ExactText
  ) -> (index: Int, isKnown: Bool) {
    let index = entityStops.partitionPoint { $0.isBefore(reminder, identifier) }
    guard index < entityStops.endIndex else { return (index, false) }
    let stop = entityStops[index]
    return (index, stop.reminder == reminder && ExactText(stop.identifier) == identifier)
  }

  /// Forgets the stops of entities that the facts have forgotten. These stops have no effect: a new
  /// report of such an entity is later than the stop and overrides it.
  ///
  /// - Complexity: linear in the items and the stops.
  mutating func forgetEntityStops() {
    guard !entityStops.isEmpty else { return }
    Work.count(items.count + entityStops.count)
    let identifiers = rememberedIdentifiers
    entityStops.removeAll { !identifiers.contains(ExactText($0.identifier)) }
  }

  /// The identifiers of the entities that the facts remember.
  var rememberedIdentifiers: Set<ExactText> {
    var identifiers: Set<ExactText> = []
    for item in items { item.addIdentifiers(to: &identifiers) }
    return identifiers
  }
}

extension Item {
  /// Adds the identifier of the item's entity. An item without an identifier may be of an
  /// `EventSelection` and have the identifier among its details, so all texts among the details are
  /// added.
  fileprivate func addIdentifiers(to identifiers: inout Set<ExactText>) {
    let texts = details.compactMap { detail in
      if case .text(let text) = detail.value { text } else { nil }
    }
    identifiers.formUnion((identifier.map { [$0] } ?? texts).map(ExactText.init))
  }
}

extension EntitySeriesCommand {
  /// - Parameter base: the instant in milliseconds from which stored times count.
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
