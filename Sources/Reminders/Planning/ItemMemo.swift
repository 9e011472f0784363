import Synchronization

/// A cache for a planning context with many items, whose occurrences are looked up one by one.
final class ItemMemo: Sendable {
  private let codes = Mutex<[UInt64]?>(nil)
  private let occurrences = Mutex<[Symbol: ItemOccurrences]>([:])
  /// The items of the planned occurrences of each reminder, by key.
  private let items = Mutex<[Symbol: [Int64: Int]]>([:])
  private let runs = Mutex<[Symbol: [SeriesRun]]>([:])
  private let plans = Mutex<[Symbol: PlanRuns]>([:])

  func codes(_ facts: Facts) -> [UInt64] {
    codes.withLock { known in
      let codes = known ?? facts.itemCodes()
      known = codes
      return codes
    }
  }

  func occurrences(
    of reminder: Symbol, _ work: () -> ItemOccurrences
  ) -> ItemOccurrences {
    if let known = occurrences.withLock({ $0[reminder] }) { return known }
    var new = work()
    new.buildIndex()
    occurrences.withLock { $0[reminder] = new }
    return new
  }

  /// - Parameter planned: returns the planned occurrences of the reminder.
  func item(of reminder: Symbol, key: Int64, _ planned: () -> [Occurrence]) -> Int? {
    Work.countStep()
    if let known = items.withLock({ $0[reminder].map { $0[key] } }) { return known }
    let pairs = planned().compactMap { occurrence in occurrence.item.map { (occurrence.key, $0) } }
    let new = Dictionary(pairs) { first, _ in first }
    items.withLock { $0[reminder] = new }
    return new[key]
  }

  func runs(of reminder: Symbol, _ work: () -> [SeriesRun]) -> [SeriesRun] {
    if let known = runs.withLock({ $0[reminder] }) { return known }
    let new = work()
    runs.withLock { $0[reminder] = new }
    return new
  }

  func plans(of reminder: Symbol, _ work: () -> PlanRuns) -> PlanRuns {
    if let known = plans.withLock({ $0[reminder] }) { return known }
    let new = work()
    plans.withLock { $0[reminder] = new }
    return new
  }
}
