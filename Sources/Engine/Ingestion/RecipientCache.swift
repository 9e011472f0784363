import CivilTime
import Reminders
import Store

/// The recipients of an engine cycle's requests: each is read once, and written once if it has
/// changed.
struct RecipientCache {
  /// A recipient as changed by the cycle. It is a class so that events change it in place.
  final class Person {
    /// The recipient as the store contains it, with the changes of this cycle's earlier requests.
    var stored: StoredRecipient
    /// Whether the cycle has changes to write.
    var isTouched = false
    /// The events of a request that are not yet applied to the facts (folded). They are applied
    /// before another request reads the recipient, or at the end of the cycle.
    var intake = Intake()
    /// The number of that request in the cycle.
    var request = 0
    /// The effects that this request may have on the recipient's notifications; nil if it has none.
    var effects: RequestEffects?

    init(_ stored: consuming StoredRecipient) {
      self.stored = stored
    }

    /// Applies the collected events to the facts together, and removes them (rule E6).
    func fold(now: Instant, planner: Planner) {
      guard !intake.isEmpty else { return }
      stored.fold(intake, now: now, planner: planner)
      intake = Intake()
    }

    /// Moves the recipient into a group without a copy. The entry is empty afterwards.
    fileprivate func move(into group: inout FiringGroup) {
      var (stored, intake) = (Self.empty, Intake())
      swap(&stored, &self.stored)
      swap(&intake, &self.intake)
      group.append(consume stored, consume intake)
    }

    /// Creates an empty recipient. Copying a stored one would retain all its parts.
    private static var empty: StoredRecipient {
      StoredRecipient(
        row: 0, recipient: Recipient(name: "", now: Instant(milliseconds: 0)), lastEvent: 0,
        pending: 0, due: nil)
    }
  }

  /// The slot of each name: an index of `entries`.
  private var slots: [ExactText: Int] = [:]
  /// When recipients of a name were last erased, by the slot of the name.
  private var erasures: [Int: Instant] = [:]
  /// The recipients by slot; nil for an unknown name.
  private var entries: [Person?] = []
  /// All recipients in order of insertion.
  private var insertionOrder: [Person] = []
  /// Whether `insertionOrder` is also in the order of the rows. It is after all recipients were
  /// read at once.
  private var isSorted = true

  var isEmpty: Bool { entries.isEmpty }

  subscript(slot: Int) -> Person? { entries[slot] }

  /// Reserves capacity for `count` more recipients.
  mutating func reserve(_ count: Int) {
    slots.reserveCapacity(slots.count + count)
    entries.reserveCapacity(entries.count + count)
    insertionOrder.reserveCapacity(insertionOrder.count + count)
  }

  /// Returns the slot of a name, and adds one if needed.
  ///
  /// - Returns: the slot, and whether it is new: then its recipient has not been read yet.
  mutating func slot(of name: String) -> (slot: Int, isNew: Bool) {
    let next = entries.count
    let slot = Self.read(&slots[ExactText(name), default: next])
    guard slot == next else { return (slot, false) }
    entries.append(nil)
    return (slot, true)
  }

  /// Returns the slot. The inout access finds or creates the dictionary's entry with one look-up.
  private static func read(_ slot: inout Int) -> Int { slot }

  /// Adds a recipient that was read or created, at the slot of the recipient's name.
  @discardableResult
  mutating func insert(_ stored: consuming StoredRecipient, at slot: Int) -> Person {
    let person = Person(stored)
    insert(person, at: slot)
    return person
  }

  private mutating func insert(_ person: Person, at slot: Int) {
    entries[slot] = person
    if let last = insertionOrder.last, last.stored.row > person.stored.row { isSorted = false }
    insertionOrder.append(person)
  }

  /// Adds a recipient that was read, and the slot of the recipient's name if needed.
  mutating func insert(_ stored: consuming StoredRecipient) {
    let person = Person(stored)
    insert(person, at: slot(of: person.stored.recipient.name).slot)
  }

  /// Records when recipients were last erased, by name.
  mutating func recordErasures(_ found: [String: Instant]) {
    for (name, time) in found {
      let slot = slot(of: name).slot
      erasures[slot] = max(time, erasures[slot] ?? time)
    }
  }

  /// Returns when recipients with the name of a slot were last erased; nil if never.
  func erasure(at slot: Int) -> Instant? {
    erasures.isEmpty ? nil : erasures[slot]
  }

  /// Removes an erased recipient. A later recipient with the same name is a new one.
  mutating func remove(_ name: String, erased time: Instant) {
    recordErasures([name: time])
    guard let slot = slots[ExactText(name)] else { return }
    entries[slot]?.isTouched = false
    entries[slot]?.intake = Intake()
    entries[slot]?.effects = nil
    entries[slot] = nil
  }

  /// Returns whether the cycle has changed a recipient.
  func isTouched(_ name: String) -> Bool {
    slots[ExactText(name)].flatMap { entries[$0] }?.isTouched ?? false
  }

  /// Returns the changed recipients in order of rows, and empties the cache. Called once, at the
  /// end of the cycle.
  mutating func takeTouched() -> Touched {
    var touched = insertionOrder.filter(\.isTouched)
    if !isSorted { touched.sort { $0.stored.row < $1.stored.row } }
    self = RecipientCache()
    return Touched(people: touched[...])
  }

  /// The changed recipients.
  struct Touched {
    /// The recipients that no group contains yet, in order of rows.
    fileprivate var people: ArraySlice<Person>

    var count: Int { people.count }

    /// Removes the next recipients, at most `count`, and returns them as a group; nil at the end.
    mutating func next(_ count: Int, planner: Planner, now: Instant) -> FiringGroup? {
      guard !people.isEmpty else { return nil }
      var group = FiringGroup(reserving: min(count, people.count), planner: planner, now: now)
      for person in people.prefix(count) { person.move(into: &group) }
      people = people.dropFirst(count)
      return group
    }
  }
}
