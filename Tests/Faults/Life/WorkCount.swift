import Reminders

/// What turns look at, counted and not timed (rule H6). Builds for debugging count; in others there
/// is nothing to count and nothing to judge.
struct WorkCount {
  /// How much may be looked at for each task and each thing that is pending.
  private static let stepsMax = 10.0
  /// What is pending for everybody: the days' reminders, and milestones that are planned ahead.
  private static let usual = 40

  /// What the turn that comes is asked to do.
  var tasks = 0
  /// What has been told of each person, which is as much as can be pending.
  var known: [String: Int] = [:]
  /// The most that there was for each task and thing.
  private(set) var peak = 0.0
  private var counted = 0
  #if DEBUG
    private let meter = WorkMeter()
  #endif

  /// Counts what a body does.
  func counting(_ body: () -> Void) {
    #if DEBUG
      Work.$meter.withValue(meter) { body() }
    #else
      body()
    #endif
  }

  private var total: Int {
    #if DEBUG
      // A clock that leaps lets thousands of instants pass in one turn.
      meter.total - meter.byTime
    #else
      0
    #endif
  }

  /// A turn is over, in which each of the people may have been fired and planned anew.
  ///
  /// - Returns: by how much it was too much, in words.
  mutating func turn(people: Int) -> String? {
    defer { (counted, tasks) = (total, 0) }
    let things = (known.values.max() ?? 0) + Self.usual
    let steps = total - counted
    let share = Double(steps) / Double((tasks + 2 * people) * things)
    peak = max(peak, share)
    guard share > Self.stepsMax else { return nil }
    return "\(steps) steps of work for \(tasks) tasks, where \(things) things are pending at most"
  }
}
