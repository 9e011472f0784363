/// A report about a relation: `relation.added` or `relation.removed`, or its copy for the other
/// person (rule E12).
package struct RelationChange: Hashable, Sendable {
  package enum Effect: Hashable, Sendable {
    case consent(own: Bool, other: Bool)
    case removal
    /// The other person was erased.
    case erasure
  }

  package let person: String
  package let role: String
  /// Whether the person gets messages about the recipient of the event.
  package let isOutgoing: Bool
  package let effect: Effect
  /// Whether the change repeats an earlier consent of the other person, in answer to that of the
  /// recipient.
  var isConfirmation = false

  func concerns(_ relation: Relation) -> Bool {
    relation.isOutgoing == isOutgoing && relation.role == role
      && ExactText(relation.person) == ExactText(person)
  }

  /// Whether the change is ignored if its recipient is not known, because the other person reports
  /// it without the recipient's consent.
  var needsRecipient: Bool {
    switch effect {
    case .consent(let own, _): !own
    case .removal, .erasure: true
    }
  }
}
