/// What tells an event from every other: its source and its id, byte for byte (rule E5).
package struct EventIdentity: Hashable, Comparable, Sendable {
  package let source: ExactText
  package let identifier: ExactText

  package init(source: String, identifier: String) {
    self.source = ExactText(source)
    self.identifier = ExactText(identifier)
  }

  package static func == (left: Self, right: Self) -> Bool {
    // Ids differ more often than sources.
    left.identifier == right.identifier && left.source == right.source
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.source == right.source
      ? left.identifier < right.identifier : left.source < right.source
  }
}
