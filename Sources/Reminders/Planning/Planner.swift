package import CivilTime

/// What planning needs beside a recipient's facts: the catalog, the zones, the default zone. A
/// class because every recipient's situation refers to it.
package final class Planner: Sendable {
  package let catalog: Catalog
  package let zones: ZoneDatabase
  /// Whose clock a recipient without a zone follows (rule T4).
  package let defaultZone: Zone

  package init(catalog: Catalog, zones: ZoneDatabase, defaultZone: Zone) {
    self.catalog = catalog
    self.zones = zones
    self.defaultZone = defaultZone
  }

  /// A recipient's zone: a name is checked at intake, so one that has since gone from the system's
  /// database is the only way to the default for a recipient who has a name.
  package func zone(of facts: Facts) -> Zone {
    guard let name = facts.zoneName else { return defaultZone }
    return (try? zones.zone(named: name)) ?? defaultZone
  }
}
