/// A report about a relation: `relation.added` or `relation.removed`, or its copy for the other
/// person (rule E12).
package struct RelationChange: Hashable, Sendable {
  package enum Effect: Hashable, Sendable {
    /// The recipient of the event (`own`), the other person, or both consent.
    case consent(own: Bool, other: Bool)
    /// One of the two ends the relation.
    case removal
    /// The other person was erased.
    case erasure
  }

  /// The id of the other person.
  package let person: String
  /// The role of the one who gets the messages, such as carer.
  package let role: String
  /// Whether the person gets messages about the recipient of the event.
  package let isOutgoing: Bool
  package let effect: Effect
  /// Whether the change repeats the other person's earlier consent, in answer to the recipient's
  /// consent.
  var isConfirmation = false

  /// Returns whether the change is about a relation: the same person, role and direction.
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
