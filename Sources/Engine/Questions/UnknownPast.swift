package import CivilTime

/// The reason why the state of a past instant is not known.
package enum UnknownPast: Error, Hashable {
  case future
  /// The facts are known from `start` on; nil if there are none.
  case early(start: Instant?)
  /// The store has removed events before it had bases.
  case noBase
  case tooManyEvents
  /// A replay of the past would have too many instants.
  case tooMuchWork
  /// The records of the recipient's decisions in the interval were removed, or there are none.
  case noRecord
  /// No adoption is stored that is old enough; the first stored one is given.
  case noAdoption(first: Instant?)
  /// This version of the service cannot read the catalogs.
  case unreadableCatalogs(adopted: Instant)
}

extension UnknownPast: CustomStringConvertible {
  package var description: String {
    switch self {
    case .future: "is in the future; give a past instant"
    case .early(let start?): "is before \(start), since when the recipient's facts are known"
    case .early(nil): "is before the recipient's first event"
    case .noBase: "cannot be answered, because the store has removed earlier events"
    case .tooManyEvents: "cannot be answered, because the recipient has too many events"
    case .tooMuchWork: "cannot be answered, because the recipient's past has too many decisions"
    case .noRecord: "cannot be audited, because the recipient's decisions are not stored"
    case .noAdoption(let first?): "is before \(first), since when catalogs are recorded"
    case .noAdoption(nil): "cannot be answered, because no catalogs are recorded yet"
    case .unreadableCatalogs(let adopted):
      "cannot be answered, because this version cannot read the catalogs that were adopted at "
        + "\(adopted)"
    }
  }
}
