/// The occurrences of one reminder that are settled, cancelled or under way, to be asked about one
/// after the other.
struct DoneKeys {
  private var few: [Int64] = []
  /// The same where they are many.
  private var many: Set<Int64> = []

  func contains(_ key: Int64) -> Bool {
    guard many.isEmpty else {
      Work.count()
      return many.contains(key)
    }
    Work.count(few.count)
    return few.contains(key)
  }

  mutating func insert(_ key: Int64) {
    if few.count < Facts.fewThings {
      few.append(key)
    } else {
      if many.isEmpty { many = Set(few) }
      many.insert(key)
    }
  }
}

extension Progress {
  /// Cost: linear in what is under way.
  func done(of reminder: Symbol) -> DoneKeys {
    Work.count(underWay.count + cancelled.count)
    var done = DoneKeys()
    for entry in settled where entry.reminder == reminder { done.insert(entry.key) }
    for entry in underWay where entry.reminder == reminder { done.insert(entry.key) }
    for entry in cancelled where entry.reminder == reminder { done.insert(entry.key) }
    return done
  }

  /// Whether an event's occurrence is settled, cancelled or under way.
  package func isDone(_ reminder: Symbol, key: Int64) -> Bool {
    settled.contains { $0.reminder == reminder && $0.key == key }
      || isUnderWay(reminder, key: key) || isCancelled(reminder, key: key)
  }
}
