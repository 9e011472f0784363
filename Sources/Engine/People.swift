import Reminders
import Store

/// The recipients of whom a turn's requests speak: each is read once, and written once if there is
/// anything to write.
struct People {
  /// A recipient as the turn has them. A class, so that an event changes them where they are.
  final class Person {
    var stored: StoredRecipient
    /// Whether the turn has something to write of them.
    var isTouched = false
    /// What the request under way brings for them.
    var intake = Intake()

    init(_ stored: consuming StoredRecipient) {
      self.stored = stored
    }
  }

  private var places: [ExactText: Int] = [:]
  /// Nil in the place of a name that nobody has.
  private var persons: [Person?] = []
  /// Everyone who has taken a place, in the order of their coming.
  private var arrived: [Person] = []
  /// Whether those who came are in the order of their rows too, as they are when all were read at
  /// once.
  private var isSorted = true

  var isEmpty: Bool { persons.isEmpty }

  subscript(place: Int) -> Person? { persons[place] }

  /// Makes room for so many more, so that it need not be made for one after the other.
  mutating func reserve(_ count: Int) {
    places.reserveCapacity(places.count + count)
    persons.reserveCapacity(persons.count + count)
    arrived.reserveCapacity(arrived.count + count)
  }

  /// The place of a name.
  ///
  /// - Returns: also whether it has none until now, so that nobody has looked who it is.
  mutating func place(of name: String) -> (place: Int, isNew: Bool) {
    let next = persons.count
    let place = Self.read(&places[ExactText(name), default: next])
    guard place == next else { return (place, false) }
    persons.append(nil)
    return (place, true)
  }

  /// To read it as if to write it finds or makes an entry with one look-up.
  private static func read(_ place: inout Int) -> Int { place }

  @discardableResult
  mutating func seat(_ stored: consuming StoredRecipient, at place: Int) -> Person {
    let person = Person(stored)
    seat(person, at: place)
    return person
  }

  private mutating func seat(_ person: Person, at place: Int) {
    persons[place] = person
    if let last = arrived.last, last.stored.row > person.stored.row { isSorted = false }
    arrived.append(person)
  }

  mutating func seat(_ stored: consuming StoredRecipient) {
    let person = Person(stored)
    seat(person, at: place(of: person.stored.recipient.name).place)
  }

  /// Takes out who was erased: whoever comes by the name later is somebody new.
  mutating func remove(_ name: String) {
    guard let place = places[ExactText(name)] else { return }
    persons[place]?.isTouched = false
    persons[place]?.intake = Intake()
    persons[place] = nil
  }

  /// Whether the turn has something to write of a recipient.
  func isTouched(_ name: String) -> Bool {
    places[ExactText(name)].flatMap { persons[$0] }?.isTouched ?? false
  }

  /// Of whom there is something to write, in the order of their rows.
  var touched: [Person] {
    let touched = arrived.filter(\.isTouched)
    return isSorted ? touched : touched.sorted { $0.stored.row < $1.stored.row }
  }
}
