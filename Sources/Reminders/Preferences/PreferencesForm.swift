package import CivilTime
package import JSON

/// A form in which a person's preferences are read and written: the service's own, or a projection
/// of the same settings for an app that has its own JSON (rule P1).
package struct PreferencesForm: Sendable {
  package enum Name: String, CaseIterable, Sendable {
    case own, urbannest, wellness
  }

  /// Nil for the service's own.
  private let projection: Projection?

  /// - Throws: when the catalog that a projection is made of is not loaded.
  package init(_ name: Name, catalog: Catalog) throws(FormUnavailable) {
    projection =
      switch name {
      case .own: nil
      case .urbannest: try Projection(.urbannest, catalog: catalog)
      case .wellness: try Projection(.wellness, catalog: catalog)
      }
  }

  /// The whole document.
  package func document(of situation: Situation, now: Instant) -> JSONObject {
    projection?.document(of: situation) ?? PreferencesDocument(situation).whole(at: now)
  }

  /// What a document changes, of which any part may be left out; nothing is changed by a refusal.
  ///
  /// In the service's own form everything written is a change. A projection is written back by a
  /// screen as a whole, and only what differs from what it shows is one.
  package func write(
    _ document: JSONObject, to situation: Situation
  ) throws(Refusal) -> PreferencesWrite {
    if let projection { return try projection.write(document, to: situation) }
    let reader = PreferencesReader(catalog: situation.catalog, root: "")
    let changes = try reader.changes(document)
    try changes.checkQuietHours(in: situation, orThrow: .equalQuietHours(at: "quietHours"))
    return PreferencesWrite(settings: changes)
  }
}

/// Why a form cannot be had.
package struct FormUnavailable: Error, Hashable, CustomStringConvertible {
  package let description: String
}
