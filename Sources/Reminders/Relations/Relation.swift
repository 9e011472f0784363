/// A relation of a recipient to another person, such as that of a patient to a carer (rule E12).
package struct Relation: Hashable, Sendable {
  /// The id of the other person.
  package let person: String
  /// The role of the one who gets the messages, such as carer.
  package let role: String
  /// Whether the person gets messages about the recipient. Otherwise the recipient gets messages
  /// about the person.
  package let isOutgoing: Bool
  /// The latest consent of the recipient; nil if there is none.
  package internal(set) var ownConsent: Stamp?
  /// The latest consent of the person; nil if there is none.
  package internal(set) var otherConsent: Stamp?
  /// The latest removal by either of the two; nil if there is none.
  package internal(set) var removal: Stamp?

  init(person: String, role: String, isOutgoing: Bool) {
    (self.person, self.role, self.isOutgoing) = (person, role, isOutgoing)
  }

  /// The maximum number of relations to which a recipient consents by events about the recipient. A
  /// person who gets messages about many recipients can have more relations. They result from
  /// events about those recipients, with the consent of both.
  package static let countMax = 256
  /// The number of relations beyond which facts forget the oldest without the recipient's consent.
  static let memoryMax = 512

  /// Whether both have consented since the latest removal.
  package var isActive: Bool { hasOwnConsent && isValid(otherConsent) }

  /// Whether the recipient has consented since the latest removal.
  package var hasOwnConsent: Bool { isValid(ownConsent) }

  /// Whether the person has consented since the latest removal.
  package var hasOtherConsent: Bool { isValid(otherConsent) }

  private func isValid(_ consent: Stamp?) -> Bool {
    guard let consent else { return false }
    return removal.map { $0 < consent } ?? true
  }

  /// The stamp (time and order of arrival) of the latest change.
  fileprivate var latest: Stamp? { [ownConsent, otherConsent, removal].compactMap(\.self).max() }

  /// Returns whether the relation is forgotten before another one, because it is older.
  fileprivate func isForgotten(before other: Relation) -> Bool {
    guard let latest, let another = other.latest else { return latest == nil }
    return latest < another
  }
}

extension Facts {
  /// Returns the names of the people with a role who get messages about the recipient, because both
  /// have consented.
  func people(with role: String) -> [String] {
    relations.filter { $0.isOutgoing && $0.isActive && $0.role == role }.map(\.person)
  }

  /// Returns whether the recipient gets messages about a person in a role.
  func accepts(_ person: String, as role: String) -> Bool {
    relations.contains { relation in
      !relation.isOutgoing && relation.isActive && relation.role == role
        && ExactText(relation.person) == ExactText(person)
    }
  }

  /// Records a consent or a removal. An erasure of the other person removes everything that names
  /// this person.
  mutating func note(_ change: RelationChange, at stamp: Stamp) {
    guard change.effect != .erasure else { return forget(change.person) }
    let index = relations.firstIndex(where: change.concerns) ?? relations.endIndex
    if index == relations.endIndex {
      relations.append(
        Relation(person: change.person, role: change.role, isOutgoing: change.isOutgoing))
    }
    relations[index].note(change.effect, at: stamp)
    forgetRelation()
    relations.sort { $0.isBefore($1) }
  }

  /// Removes the relations to a person, and the remembered messages about the person.
  mutating func forget(_ person: String) {
    relations.removeAll { ExactText($0.person) == ExactText(person) }
    items.removeAll { $0.details.text(Relay.subject).map(ExactText.init) == ExactText(person) }
  }

  /// Forgets the oldest relation without the recipient's consent if there are too many.
  private mutating func forgetRelation() {
    guard relations.count > Relation.memoryMax else { return }
    let index = relations.indices.filter { !relations[$0].hasOwnConsent }
      .min { relations[$0].isForgotten(before: relations[$1]) }
    if let index { relations.remove(at: index) }
  }

  /// Refuses a consent beyond the limit.
  func check(_ change: RelationChange) throws(Refusal) {
    guard case .consent(own: true, _) = change.effect else { return }
    let count = relations.count { $0.hasOwnConsent && !change.concerns($0) }
    guard count >= Relation.countMax else { return }
    throw Refusal(
      .overfull, path: "data.role",
      "is one of \(count + 1) relations; at most \(Relation.countMax) are allowed; end one with "
        + "relation.removed")
  }
}

extension Relation {
  fileprivate func isBefore(_ other: Relation) -> Bool {
    guard isOutgoing == other.isOutgoing else { return other.isOutgoing }
    return (ExactText(person), ExactText(role)) < (ExactText(other.person), ExactText(other.role))
  }

  /// Returns the relation with corrected times (rule T11).
  func corrected(_ correct: (Stamp) -> Stamp) -> Relation {
    var relation = self
    relation.ownConsent = ownConsent.map(correct)
    relation.otherConsent = otherConsent.map(correct)
    relation.removal = removal.map(correct)
    return relation
  }

  fileprivate mutating func note(_ effect: RelationChange.Effect, at stamp: Stamp) {
    switch effect {
    case .consent(let own, let other):
      if own { ownConsent = max(ownConsent ?? stamp, stamp) }
      if other { otherConsent = max(otherConsent ?? stamp, stamp) }
    case .removal: removal = max(removal ?? stamp, stamp)
    case .erasure: break
    }
  }

  /// - Parameter base: the instant in milliseconds from which stored times count.
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.text(person)
    writer.text(role)
    writer.count(isOutgoing ? 1 : 0)
    for stamp in [ownConsent, otherConsent, removal] {
      writer.count(stamp == nil ? 0 : 1)
      if let stamp { writer.stamp(stamp, since: base) }
    }
  }

  /// - Parameter base: the instant in milliseconds from which stored times count.
  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    person = try reader.text()
    role = try reader.text()
    isOutgoing = try reader.count() == 1
    ownConsent = try reader.count() == 1 ? try reader.stamp(since: base) : nil
    otherConsent = try reader.count() == 1 ? try reader.stamp(since: base) : nil
    removal = try reader.count() == 1 ? try reader.stamp(since: base) : nil
  }
}
