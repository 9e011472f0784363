/// The entities that share the date of a calendar reminder's occurrence, by their identifiers,
/// which are sorted (rule G9).
package struct SharedDate: Hashable, Sendable {
  /// The entities that the occurrence is about.
  package var entities: [String] = []
  /// The entities that would share the date if the recipient had not ended their series.
  package var ended: [String] = []

  package init(entities: [String] = [], ended: [String] = []) {
    (self.entities, self.ended) = (entities, ended)
  }
}
