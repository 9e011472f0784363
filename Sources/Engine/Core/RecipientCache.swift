import CivilTime
import Reminders
import Store

/// The recipients in a turn's requests: each is read once, and written once if there is anything to
/// write.
struct RecipientCache {
  /// A recipient as the turn has them. A class, so that an event changes them where they are.
  final class Person {
    var stored: StoredRecipient
    /// Whether the turn has something to write of them.
    var isTouched = false
    /// What a request brings for them, until somebody looks at them or the turn is written.
    var intake = Intake()
    /// Which request of the turn that is.
    var request = 0

    init(_ stored: consuming StoredRecipient) {
      self.stored = stored
    }

    /// Hands on what the turn has come to, without a copy; nobody is here afterwards.
    fileprivate func handOn(to group: inout FiringGroup) {
      var stored = Self.nobody
      swap(&stored, &self.stored)
      group.append(stored, intake)
      intake = Intake()
    }

    private static let nobody = StoredRecipient(
      row: 0, recipient: Recipient(name: "", now: Instant(milliseconds: 0)), lastEvent: 0,
      pending: 0, due: nil)
  }

  private var slots: [ExactText: Int] = [:]
  /// When those who had a name were last erased, by slot.
  private var erasures: [Int: Instant] = [:]
  /// Nil in the slot of a name that nobody has.
  private var entries: [Person?] = []
  /// Everyone who has taken a slot, in the order of their coming.
  private var arrived: [Person] = []
  /// Whether those who came are in the order of their rows too, as they are when all were read at
  /// once.
  private var isSorted = true

  var isEmpty: Bool { entries.isEmpty }

  subscript(slot: Int) -> Person? { entries[slot] }

  /// Makes room for so many more, so that it need not be made for one after the other.
  mutating func reserve(_ count: Int) {
    slots.reserveCapacity(slots.count + count)
    entries.reserveCapacity(entries.count + count)
    arrived.reserveCapacity(arrived.count + count)
  }

  /// The slot of a name.
  ///
  /// - Returns: also whether it has none until now, so that nobody has looked who it is.
  mutating func slot(of name: String) -> (slot: Int, isNew: Bool) {
    let next = entries.count
    let slot = Self.read(&slots[ExactText(name), default: next])
    guard slot == next else { return (slot, false) }
    entries.append(nil)
    return (slot, true)
  }

  /// To read it as if to write it finds or makes an entry with one look-up.
  private static func read(_ slot: inout Int) -> Int { slot }

  @discardableResult
  mutating func insert(_ stored: consuming StoredRecipient, at slot: Int) -> Person {
    let person = Person(stored)
    insert(person, at: slot)
    return person
  }

  private mutating func insert(_ person: Person, at slot: Int) {
    entries[slot] = person
    if let last = arrived.last, last.stored.row > person.stored.row { isSorted = false }
    arrived.append(person)
  }

  mutating func insert(_ stored: consuming StoredRecipient) {
    let person = Person(stored)
    insert(person, at: slot(of: person.stored.recipient.name).slot)
  }

  /// Keeps when recipients were last erased, by name.
  mutating func noteErasures(_ found: [String: Instant]) {
    for (name, time) in found {
      let slot = slot(of: name).slot
      erasures[slot] = max(time, erasures[slot] ?? time)
    }
  }

  /// When those who had the name of a slot were last erased; nil if they never were.
  func erasure(at slot: Int) -> Instant? {
    erasures.isEmpty ? nil : erasures[slot]
  }

  /// Takes out who was erased: whoever comes by the name later is somebody new.
  mutating func remove(_ name: String, erased time: Instant) {
    noteErasures([name: time])
    guard let slot = slots[ExactText(name)] else { return }
    entries[slot]?.isTouched = false
    entries[slot]?.intake = Intake()
    entries[slot] = nil
  }

  /// Whether the turn has something to write of a recipient.
  func isTouched(_ name: String) -> Bool {
    slots[ExactText(name)].flatMap { entries[$0] }?.isTouched ?? false
  }

  /// Takes out those with something to write, in the order of their rows, and forgets the others:
  /// to be called once, at the end.
  mutating func takeTouched() -> Touched {
    var touched = arrived.filter(\.isTouched)
    if !isSorted { touched.sort { $0.stored.row < $1.stored.row } }
    self = RecipientCache()
    return Touched(people: touched[...])
  }

  /// Those with something to write.
  struct Touched {
    fileprivate var people: ArraySlice<Person>

    var count: Int { people.count }

    /// The next few, to be settled together; nil if nobody is left.
    mutating func next(_ count: Int, planner: Planner, now: Instant) -> FiringGroup? {
      guard !people.isEmpty else { return nil }
      var group = FiringGroup(reserving: min(count, people.count), planner: planner, now: now)
      for person in people.prefix(count) { person.handOn(to: &group) }
      people = people.dropFirst(count)
      return group
    }
  }
}
