import Reminders

/// Counts the work of engine cycles, which does not depend on the machine's speed (rule H6). Only
/// debug builds count.
struct WorkCount {
  /// The most steps of work that a cycle may take, per task and pending occurrence.
  private static let stepsMax = 10.0
  /// The number of pending occurrences that every person has: daily reminders, and milestones
  /// planned ahead.
  private static let pendingMin = 40

  /// The tasks of the next cycle.
  var tasks = 0
  /// The number of each person's events, which limits the number of other pending occurrences.
  var known: [String: Int] = [:]
  /// The most steps of work so far, per task and pending occurrence.
  private(set) var peak = 0.0
  private var lastTotal = 0
  #if DEBUG
    private let meter = WorkMeter()
  #endif

  /// Counts the work of a body.
  func counting(_ body: () -> Void) {
    #if DEBUG
      Work.$meter.withValue(meter) { body() }
    #else
      body()
    #endif
  }

  private var total: Int {
    #if DEBUG
      // Steps for passed instants are not counted: after a leap of the clock there are thousands.
      meter.total - meter.byTime
    #else
      0
    #endif
  }

  /// Ends a cycle, in which each person may have been fired and replanned.
  ///
  /// - Returns: the finding, if there was too much work.
  mutating func endTurn(people: Int) -> String? {
    defer { (lastTotal, tasks) = (total, 0) }
    let occurrences = (known.values.max() ?? 0) + Self.pendingMin
    let steps = total - lastTotal
    let share = Double(steps) / Double((tasks + 2 * people) * occurrences)
    peak = max(peak, share)
    guard share > Self.stepsMax else { return nil }
    return
      "\(steps) steps of work for \(tasks) tasks, with at most \(occurrences) occurrences pending"
  }
}
