package import CivilTime

/// A remembered report. It is the latest report about an entity, the report with the highest number
/// (`peakType`), or one of the latest reports without an identifier.
package struct Item: Hashable, Sendable {
  /// The type of the events under which the facts remember the item.
  package let type: Symbol
  /// The identifier of the entity, compared byte by byte; nil for an event without an identifier.
  package let identifier: String?
  /// The stamp of the remembered report: its time and its order of arrival.
  package let stamp: Stamp
  /// The stamp of the earliest known report of the entity, if another entity has the same code.
  /// Otherwise it is the stamp of the latest report, so that every order of arrival gives the same
  /// result.
  package internal(set) var first: Stamp
  /// The fields of the remembered report.
  package let details: [Detail]
  /// The basis of the keys of the item's occurrences and of the choice of their messages.
  /// `Facts.itemCodes` distinguishes a recipient's entities with equal codes.
  package let code: UInt64

  package init(
    type: Symbol, identifier: String?, stamp: Stamp, first: Stamp? = nil, details: [Detail]
  ) {
    self.type = type
    self.identifier = identifier
    self.stamp = stamp
    self.first = first ?? stamp
    self.details = details
    code = Self.code(identifier, stamp)
  }

  /// Returns the code, a hash: unlike a counter, it is the same in the service and in a simulation.
  private static func code(_ identifier: String?, _ stamp: Stamp) -> UInt64 {
    if let identifier { return stableHash(identifier) }
    let time = UInt64(bitPattern: stamp.time.milliseconds)
    return mixed(time) ^ mixed(UInt64(bitPattern: stamp.order) &+ 1)
  }

  package func instant(_ field: Symbol) -> Instant? {
    for detail in details where detail.field == field {
      if case .instant(let instant) = detail.value { return instant }
    }
    return nil
  }

  package func date(_ field: Symbol) -> LocalDate? {
    for detail in details where detail.field == field {
      if case .date(let date) = detail.value { return date }
    }
    return nil
  }

  /// The latest of these instants: the time of the item's stamp, the instants in its fields, and
  /// the ends of the dates in its fields. A plan counts until its last date, so that the end of its
  /// series is remembered for as long as it matters.
  var latestInstant: Instant {
    details.reduce(stamp.time) { latest, detail in
      switch detail.value {
      case .instant(let instant): max(latest, instant)
      case .date(let date): max(latest, date.endInEveryZone)
      case .plan(let plan): max(latest, plan.lastDate.endInEveryZone)
      default: latest
      }
    }
  }

  /// Whether the item has neither identifier nor fields. A streak may count such items for as long
  /// as the streak lasts. A type has few of them.
  var isBare: Bool { identifier == nil && details.isEmpty }

  /// Returns whether this item is about the same entity as another item, perhaps of another type.
  /// Two items without an identifier are about the same entity if they come from the same event,
  /// which may be remembered under several types.
  func isSameEntity(as other: Item) -> Bool {
    guard let identifier, let another = other.identifier else {
      return identifier == nil && other.identifier == nil && stamp == other.stamp
    }
    return ExactText(identifier) == ExactText(another)
  }

  /// Returns whether the item sorts before the items of an entity: by type, then by identifier.
  /// Items without an identifier are first.
  func isBefore(_ otherType: Symbol, _ other: ExactText?) -> Bool {
    if type != otherType { return type < otherType }
    guard let other else { return false }
    return identifier.map { ExactText($0) < other } ?? true
  }
}

extension Item: Comparable {
  /// Compares in the stored order: by type, then by identifier, then by stamp.
  package static func < (left: Item, right: Item) -> Bool {
    let (one, other) = (left.identifier.map(ExactText.init), right.identifier.map(ExactText.init))
    if left.type == right.type, one == other { return left.stamp < right.stamp }
    return left.isBefore(right.type, other)
  }
}
