/// An event that an action reports.
package struct ActionEvent: Hashable, Sendable {
  package let type: String
  /// The fields that are filled in from the event that the occurrence follows.
  package let fields: [String]
}
