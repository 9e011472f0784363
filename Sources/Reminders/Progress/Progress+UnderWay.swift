import CivilTime

extension Progress {
  /// Puts occurrences under way, behind those that are due no later.
  mutating func enqueue(_ entries: [UnderWay]) {
    guard let first = entries.first else { return }
    let isInOrder = underWay.last.map { $0.due <= first.due } ?? true
    underWay += entries
    if !isInOrder || entries.count > 1 { sortByDue() }
  }

  /// What is in order already costs one look at each.
  mutating func sortByDue() {
    let isInOrder = zip(underWay, underWay.dropFirst()).allSatisfy { $0.due <= $1.due }
    if !isInOrder { underWay.sort { $0.due < $1.due } }
  }

  /// Takes out what is due by an instant.
  mutating func takeDue(by now: Instant) -> [UnderWay] {
    let due = Array(underWay.prefix { $0.due <= now })
    Work.count(due.count + 1)
    underWay.removeFirst(due.count)
    return due
  }
}
