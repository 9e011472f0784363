/// The description of the keys of a YAML mapping. A reader uses it to refuse other keys and to
/// report missing ones. The JSON Schema for editors is generated from it too.
package struct MappingKeys: Sendable {
  package let keys: [KeyDescription]
  /// The shape of the values under names that the author chooses; nil if there are no such names.
  package let others: ValueShape?

  package init(_ keys: [KeyDescription], others: ValueShape? = nil) {
    self.keys = keys
    self.others = others
  }

  package var names: [String] { keys.map(\.name) }
  package var requiredNames: [String] { keys.filter(\.isRequired).map(\.name) }
}
