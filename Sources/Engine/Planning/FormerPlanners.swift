import CivilTime
import Reminders
import Store

/// The planners of the past, from the stored adoptions (rule H31). Texts are read when they are
/// needed, and each catalog is read once.
final class FormerPlanners {
  /// A planner of the past, or the reason why it is not known.
  enum Answer {
    /// The planner of an adoption.
    case known(Planner, Adoption)
    /// No adoption is stored that is old enough.
    case notStored
    /// This version of the service cannot read the catalogs or settings of the adoption.
    case unreadable(Adoption)
  }

  /// The current planner.
  let current: Planner
  private let currentAdoption: Adoption
  /// The adoptions in the order of their times.
  private let adoptions: [Adoption]
  /// Returns the text of catalogs by their fingerprint; nil if it is not stored.
  private let text: (String) -> String?
  /// The planners of the adoptions so far, by their instants.
  private var answers: [Instant: Answer] = [:]
  /// The catalogs so far, by their fingerprints; nil for those that cannot be read.
  private var catalogs: [String: Catalog?]

  /// - Parameter current: the current planner, whose tz database and holidays the others get.
  init(
    current: Planner, adoptions: [Adoption], text: @escaping (String) -> String?
  ) {
    (self.current, self.adoptions, self.text) = (current, adoptions, text)
    currentAdoption = Adoption(of: current, at: Instant(milliseconds: 0))
    catalogs = [current.catalog.fingerprint: current.catalog]
  }

  /// Reads the stored adoptions, with the texts of the catalogs that were adopted until an instant.
  convenience init(
    current: Planner, until instant: Instant, in reader: any StoreReader
  ) throws {
    let adoptions = try reader.adoptions()
    var texts: [String: String] = [:]
    for adoption in adoptions where adoption.at <= instant || adoption == adoptions.first {
      guard adoption.catalogs != current.catalog.fingerprint, texts[adoption.catalogs] == nil
      else { continue }
      texts[adoption.catalogs] = try reader.adoptedText(of: adoption.catalogs)
    }
    self.init(current: current, adoptions: adoptions) { [texts] in texts[$0] }
  }

  /// The instant of the first stored adoption; nil if there is none.
  var start: Instant? { adoptions.first?.at }

  /// Returns the planner that decided at an instant.
  func planner(at instant: Instant) -> Answer {
    guard let adoption = adoptions.last(where: { $0.at <= instant }) else { return .notStored }
    if let answer = answers[adoption.at] { return answer }
    let answer = planner(of: adoption).map { Answer.known($0, adoption) }
    answers[adoption.at] = answer ?? .unreadable(adoption)
    return answer ?? .unreadable(adoption)
  }

  private func planner(of adoption: Adoption) -> Planner? {
    if adoption.decides(like: currentAdoption) { return current }
    return catalog(of: adoption).flatMap { adoption.planner(with: $0, like: current) }
  }

  /// Returns the planner by which an event that arrived at an instant is read: the planner that was
  /// current, or else the nearest later one that is known.
  func reader(at instant: Instant) -> Planner {
    if case .known(let planner, _) = planner(at: instant) { return planner }
    for adoption in adoptions where adoption.at > instant {
      if case .known(let planner, _) = planner(at: adoption.at) { return planner }
    }
    return current
  }

  /// Returns the planners of the adoptions until an instant; fails with the reason why one of them
  /// is not known.
  func periods(until end: Instant) -> Result<PlannerPeriods, UnknownPast> {
    var planners: [(start: Instant, planner: Planner)] = []
    for adoption in adoptions where adoption.at <= end {
      guard case .known(let planner, _) = planner(at: adoption.at) else {
        return .failure(.unreadableCatalogs(adopted: adoption.at))
      }
      planners.append((adoption.at, planner))
    }
    guard let first = planners.first else { return .failure(.noAdoption(first: nil)) }
    return .success(PlannerPeriods(first: first.planner, changes: planners))
  }

  /// The releases of the tz database until an instant, except the current one. Their rules are not
  /// stored.
  func missingZones(until instant: Instant) -> [String] {
    let releases = Set(adoptions.filter { $0.at <= instant }.map(\.zones))
    return releases.subtracting([current.zones.version]).sorted()
  }

  /// Whether the planner that was current at an instant is known, so that `reader` returns it.
  func isKnown(at instant: Instant) -> Bool {
    if case .known = planner(at: instant) { true } else { false }
  }

  private func catalog(of adoption: Adoption) -> Catalog? {
    if let catalog = catalogs[adoption.catalogs] { return catalog }
    let catalog = text(adoption.catalogs).flatMap { Catalog(storedText: $0) }
    catalogs[adoption.catalogs] = .some(catalog)
    return catalog
  }
}
