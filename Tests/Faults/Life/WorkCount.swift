import Reminders

/// Counts the work of engine cycles, which does not depend on the machine's speed (rule H6). Only
/// debug builds count.
struct WorkCount {
  /// The maximum number of steps of work in a cycle, per task and pending occurrence.
  private static let stepsMax = 10.0
  /// The number of pending occurrences that every person has: daily reminders, and milestones
  /// planned ahead.
  private static let pendingMin = 40

  /// The number of tasks for the next cycle.
  var tasks = 0
  /// The number of each person's events, which limits the number of other pending occurrences.
  var eventCounts: [String: Int] = [:]
  /// The highest number of steps so far, per task and pending occurrence.
  private(set) var peak = 0.0
  /// The value of `total` at the end of the last cycle.
  private var lastTotal = 0
  #if DEBUG
    private let meter = WorkMeter()
  #endif

  /// Runs `body`, and counts its work.
  func measure(_ body: () -> Void) {
    #if DEBUG
      Work.$meter.withValue(meter) { body() }
    #else
      body()
    #endif
  }

  /// The number of steps of work so far.
  private var total: Int {
    #if DEBUG
      // Steps for each passed instant are not counted, because a leap of the clock causes
      // thousands.
      meter.total - meter.byTime
    #else
      0
    #endif
  }

  /// Ends a cycle. In the cycle, the engine may have fired and replanned for each person.
  ///
  /// - Returns: the finding if there was too much work; otherwise nil.
  mutating func endTurn(people: Int) -> String? {
    defer { (lastTotal, tasks) = (total, 0) }
    let occurrences = (eventCounts.values.max() ?? 0) + Self.pendingMin
    let steps = total - lastTotal
    let relativeSteps = Double(steps) / Double((tasks + 2 * people) * occurrences)
    peak = max(peak, relativeSteps)
    guard relativeSteps > Self.stepsMax else { return nil }
    return
      "\(steps) steps of work for \(tasks) tasks, with at most \(occurrences) occurrences pending"
  }
}
