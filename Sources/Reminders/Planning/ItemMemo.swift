import Synchronization

/// A cache for a planning context. It speeds up looking up the occurrences of many items
/// (remembered reports) one by one.
final class ItemMemo: Sendable {
  private let codes = Mutex<[UInt64]?>(nil)
  private let occurrences = Mutex<[Symbol: ItemOccurrences]>([:])
  /// For each reminder, the item indices of the planned occurrences by key.
  private let items = Mutex<[Symbol: [Int64: Int]]>([:])
  private let runs = Mutex<[Symbol: [SeriesRun]]>([:])
  private let plans = Mutex<[Symbol: PlanRuns]>([:])

  /// Returns `Facts.itemCodes`, computed at the first call.
  func codes(_ facts: Facts) -> [UInt64] {
    codes.withLock { known in
      let codes = known ?? facts.itemCodes()
      known = codes
      return codes
    }
  }

  /// Returns the occurrences of a reminder, computed at the first call.
  func occurrences(
    of reminder: Symbol, _ compute: () -> ItemOccurrences
  ) -> ItemOccurrences {
    if let known = occurrences.withLock({ $0[reminder] }) { return known }
    var computed = compute()
    computed.buildIndex()
    occurrences.withLock { $0[reminder] = computed }
    return computed
  }

  /// Returns the index in the facts of the item that an occurrence follows; nil if there is none.
  ///
  /// - Parameter planned: returns the planned occurrences of the reminder.
  func item(of reminder: Symbol, key: Int64, _ planned: () -> [Occurrence]) -> Int? {
    Work.countStep()
    if let known = items.withLock({ $0[reminder].map { $0[key] } }) { return known }
    let pairs = planned().compactMap { occurrence in occurrence.item.map { (occurrence.key, $0) } }
    let itemsByKey = Dictionary(pairs) { first, _ in first }
    items.withLock { $0[reminder] = itemsByKey }
    return itemsByKey[key]
  }

  /// Returns the runs (series) of a calendar reminder, computed at the first call.
  func runs(of reminder: Symbol, _ compute: () -> [SeriesRun]) -> [SeriesRun] {
    if let known = runs.withLock({ $0[reminder] }) { return known }
    let computed = compute()
    runs.withLock { $0[reminder] = computed }
    return computed
  }

  /// Returns the series of a reminder's plans, computed at the first call.
  func plans(of reminder: Symbol, _ compute: () -> PlanRuns) -> PlanRuns {
    if let known = plans.withLock({ $0[reminder] }) { return known }
    let computed = compute()
    plans.withLock { $0[reminder] = computed }
    return computed
  }
}
