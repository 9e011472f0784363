import CivilTime

/// The latest reports of one recipient's entities.
package struct LatestReports: Sendable {
  private struct EntityKey: Hashable {
    var type: Symbol
    var identifier: ExactText
  }

  /// The latest report of each type about each entity.
  private var items: [EntityKey: Item] = [:]

  package init() {}

  /// Returns the latest report of one type about an event's entity; nil if there is none.
  package subscript(event: Event, type: Symbol) -> Item? {
    event.entity.flatMap { items[EntityKey(type: type, identifier: ExactText($0))] }
  }

  /// Adds a report, unless a later report of the same entity is recorded.
  package mutating func note(_ event: Event, order: Int64) {
    guard let identifier = event.entity, case .report(let report) = event.content else { return }
    let entity = EntityKey(type: event.symbol, identifier: ExactText(identifier))
    let stamp = Stamp(time: event.time, order: order)
    if let recorded = items[entity], recorded.stamp > stamp { return }
    items[entity] = Item(
      type: entity.type, identifier: report.identifier, stamp: stamp, details: report.details)
  }
}

extension Event {
  /// The identifier of the entity that the event is about; nil if it has none.
  var entity: String? {
    if case .report(let report) = content { report.identifier } else { nil }
  }
}
