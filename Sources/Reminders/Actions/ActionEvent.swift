/// An event that an action reports.
package struct ActionEvent: Hashable, Sendable {
  /// The type of the event.
  package let type: String
  /// The fields that are copied from the event that triggered the occurrence.
  package let fields: [String]
}
