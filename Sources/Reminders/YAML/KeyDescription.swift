/// A key of a YAML mapping.
package struct KeyDescription: Sendable {
  package let name: String
  package let shape: ValueShape
  package let isRequired: Bool
  /// The meaning of the key, as a sentence for authors.
  package let meaning: String

  package static func required(
    _ name: String, _ shape: ValueShape, _ meaning: String
  ) -> KeyDescription {
    KeyDescription(name: name, shape: shape, isRequired: true, meaning: meaning)
  }

  package static func optional(
    _ name: String, _ shape: ValueShape, _ meaning: String
  ) -> KeyDescription {
    KeyDescription(name: name, shape: shape, isRequired: false, meaning: meaning)
  }
}
