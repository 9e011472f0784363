import CivilTime
import Testing

@testable import Reminders

/// Rule E12: relations as facts.
@Suite struct RelationTests {
  private static let effects: [RelationChange.Effect] = [
    .consent(own: true, other: false), .consent(own: false, other: true), .removal,
    .consent(own: true, other: false),
  ]

  /// Folds reports in an order; the time of each follows from its number.
  private func facts(_ order: [Int]) throws -> Facts {
    let start = try utc("2026-03-02 08:00")
    var facts = Facts()
    for number in order {
      let change = RelationChange(
        person: "carla", role: "carer", isOutgoing: true, effect: Self.effects[number])
      let event = Event(
        identifier: "\(number)", source: "test", type: "relation.added", recipient: "amina",
        time: start + .minutes(number), isTimeGiven: true, content: .relation(change))
      facts.fold(event, order: Int64(number), memory: nil)
    }
    return facts
  }

  private func orders(_ count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return orders(count - 1).flatMap { order in
      (0..<count).map { index in
        var order = order
        order.insert(count - 1, at: index)
        return order
      }
    }
  }

  @Test func `E12: a relation exists with both consents since its latest removal`() throws {
    let counts = 0...Self.effects.count
    let active = try counts.map { try facts(Array(0..<$0)).relations.first?.isActive }
    #expect(active == [nil, false, true, false, false])
  }

  @Test func `E12: every order of reports gives the same relation`() throws {
    let all = orders(Self.effects.count)
    #expect(all.count == 24)
    let expected = try facts(Array(0..<Self.effects.count))
    for order in all { #expect(try facts(order) == expected, "\(order)") }
  }

  @Test func `E12: relations are stored with the facts`() throws {
    let facts = try facts([0, 1])
    let decoded = try facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
    #expect(decoded == facts)
    #expect(decoded.people(with: "carer") == ["carla"])
  }

  @Test func `E12: a consent beyond the limit is refused`() throws {
    var facts = Facts()
    func change(_ number: Int) -> RelationChange {
      RelationChange(
        person: "p\(number)", role: "carer", isOutgoing: true,
        effect: .consent(own: true, other: false))
    }
    let time = try utc("2026-03-02 08:00")
    for number in 0..<Relation.countMax {
      try facts.check(change(number))
      facts.note(change(number), at: Stamp(time: time, order: Int64(number)))
    }
    #expect(throws: Refusal.self) { try facts.check(change(Relation.countMax)) }
    try facts.check(change(0))
  }

  @Test func `E12: consents are not forgotten, however many there are`() throws {
    var facts = Facts()
    let time = try utc("2026-03-02 08:00")
    for number in 0..<Relation.memoryMax + 9 {
      for isOwn in [true, false] {
        let change = RelationChange(
          person: "\(isOwn)\(number)", role: "carer", isOutgoing: false,
          effect: .consent(own: isOwn, other: true))
        facts.note(change, at: Stamp(time: time, order: Int64(number)))
      }
    }
    #expect(facts.relations.count { $0.hasOwnConsent } == Relation.memoryMax + 9)
    #expect(facts.relations.count { !$0.hasOwnConsent } == 0)
  }
}
