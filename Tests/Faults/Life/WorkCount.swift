import Reminders

/// Counts the work of engine cycles, which does not depend on the machine's speed (rule H6). Only
/// debug builds count.
struct WorkCount {
  /// The limit of work for each task and each pending thing.
  private static let stepsMax = 10.0
  /// The pending occurrences of every person: the daily reminders, and milestones planned ahead.
  private static let usual = 40

  /// The tasks of the next cycle.
  var tasks = 0
  /// The number of each person's events, which limits what is pending.
  var known: [String: Int] = [:]
  /// The most work for each task and thing.
  private(set) var peak = 0.0
  private var counted = 0
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
      // After a leap of the clock, a cycle may pass thousands of instants.
      meter.total - meter.byTime
    #else
      0
    #endif
  }

  /// Ends a cycle, in which each person may have been fired and replanned.
  ///
  /// - Returns: the finding, if there was too much work.
  mutating func turn(people: Int) -> String? {
    defer { (counted, tasks) = (total, 0) }
    let things = (known.values.max() ?? 0) + Self.usual
    let steps = total - counted
    let share = Double(steps) / Double((tasks + 2 * people) * things)
    peak = max(peak, share)
    guard share > Self.stepsMax else { return nil }
    return "\(steps) steps of work for \(tasks) tasks, with at most \(things) things pending"
  }
}
