/// The keys of a YAML mapping, described once. A reader refuses other keys and reports missing
/// ones, and the JSON Schema for editors follows from the same description.
package struct MappingKeys: Sendable {
  package let keys: [KeyDescription]
  /// The values under names that the author chooses; nil if there are none.
  package let others: ValueShape?

  package init(_ keys: [KeyDescription], others: ValueShape? = nil) {
    self.keys = keys
    self.others = others
  }

  package var names: [String] { keys.map(\.name) }
  package var requiredNames: [String] { keys.filter(\.isRequired).map(\.name) }
}
