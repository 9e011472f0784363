import CivilTime

/// The latest reports of one recipient's entities.
package struct LatestReports: Sendable {
  private struct Thing: Hashable {
    var type: Symbol
    var identifier: ExactText
  }

  private var items: [Thing: Item] = [:]

  package init() {}

  /// Returns the latest report of the entity that an event is about.
  package subscript(event: Event) -> Item? { Self.thing(of: event).flatMap { items[$0] } }

  /// Adds a report, unless a later one of the same entity is known.
  package mutating func note(_ event: Event, order: Int64) {
    guard let thing = Self.thing(of: event), case .report(let report) = event.content else {
      return
    }
    let stamp = Stamp(time: event.time, order: order)
    if let known = items[thing], known.stamp > stamp { return }
    items[thing] = Item(
      type: thing.type, identifier: report.identifier, stamp: stamp, details: report.details)
  }

  private static func thing(of event: Event) -> Thing? {
    guard case .report(let report) = event.content, let identifier = report.identifier else {
      return nil
    }
    return Thing(type: event.symbol, identifier: ExactText(identifier))
  }
}
