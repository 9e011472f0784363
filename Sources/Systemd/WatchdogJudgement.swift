/// Decides what the watchdog does about the subsystems that stand still.
struct WatchdogJudgement: Sendable {
  enum Action: Equatable {
    /// All is well: give a sign of life.
    case feed
    /// All is well again before the manager acted: say so, and give a sign of life.
    case recover([String])
    /// These stand still, which was not known before: say so, and give no sign of life.
    case report([String])
    /// As reported before: give no sign of life.
    case starve
  }

  private var reported: [String] = []

  mutating func decide(stale: [String]) -> Action {
    defer { reported = stale }
    if stale.isEmpty { return reported.isEmpty ? .feed : .recover(reported) }
    return stale == reported ? .starve : .report(stale)
  }
}
