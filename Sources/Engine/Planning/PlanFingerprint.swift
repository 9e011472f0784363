import CivilTime
import Reminders

/// A short text that identifies the settings that recipients are planned with. Planners with equal
/// fingerprints plan equally.
package struct PlanFingerprint: Hashable, Sendable, CustomStringConvertible {
  /// A part of the settings. The fingerprint has one part for each.
  package enum Part: String, CaseIterable, Sendable {
    /// The release of the tz database.
    case zones
    /// The name of the default zone.
    case defaultZone = "default-zone"
    /// A hash of the catalogs' texts.
    case catalogs
  }

  private let parts: [Part: String]

  /// The fingerprint of the catalogs.
  var catalogs: String { parts[.catalogs] ?? "" }

  init(_ planner: Planner) {
    parts = [
      .zones: planner.zones.version, .defaultZone: planner.defaultZone.name,
      .catalogs: planner.catalog.fingerprint,
    ]
  }

  /// Reads the description of a fingerprint; returns nil for any other text.
  package init?(_ text: String) {
    // Only the version of the tz database may contain spaces.
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 3 else { return nil }
    parts = [
      .zones: words.dropLast(2).joined(separator: " "),
      .defaultZone: String(words[words.count - 2]), .catalogs: String(words[words.count - 1]),
    ]
  }

  package var description: String {
    Part.allCases.map { parts[$0] ?? "" }.joined(separator: " ")
  }

  /// Returns the parts in which any of the fingerprints differ, in order.
  package static func differences(of fingerprints: some Sequence<Self>) -> [Part] {
    Part.allCases.filter { part in Set(fingerprints.map { $0.parts[part] }).count > 1 }
  }
}

extension Planner {
  /// Distinguishes planners that may plan differently.
  var fingerprint: String { PlanFingerprint(self).description }
}
