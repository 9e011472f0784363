/// A number that follows from a recipient's name, for random choices that can be repeated (rule
/// G25). It is no fact: the store does not contain it, and comparisons ignore it.
package struct RecipientSeed: Hashable, Sendable {
  let bits: UInt64

  /// Creates the seed of facts without a recipient.
  init() {
    bits = 0
  }

  init(of name: String) {
    bits = mixed(stableHash(name))
  }

  package static func == (left: Self, right: Self) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}
