package import CivilTime
import Holidays

extension Planner {
  /// What planning goes by and is old, or comes to its end within a year, in sentences.
  ///
  /// - Parameter regions: those whose holidays somebody goes by; nil for all that are known.
  package func dataWarnings(at now: Instant, regions: Set<String>? = nil) -> [String] {
    let ends = holidays?.endWarnings(at: defaultZone.date(at: now), of: regions) ?? []
    return [zones.ageWarning(at: now)].compactMap { $0 } + ends
  }
}

extension PlanningContext {
  /// That the holidays of where the person lives end within a year after an instant; nil if they do
  /// not, and for whoever has no region.
  func holidayWarning(at instant: Instant) -> String? {
    guard let region = facts.profile(.holidays),
      let calendar = try? planner.holidays?.calendar(of: region)
    else { return nil }
    return calendar.endWarning(at: zone.date(at: instant))
  }
}
