/// Decides what the watchdog does about the subsystems that are late.
struct WatchdogJudgement: Sendable {
  /// What there is to tell, once for each time that it comes to be so.
  enum News: Equatable {
    /// Half of the time is over that it has until the service is restarted for it.
    case slow(LatePart)
    /// It stands still; a restart would cure that.
    case stalled(LatePart)
    /// It has been at something for long that a restart would not make shorter.
    case delayed(LatePart)
    /// It gets on again.
    case recovered(LatePart)
  }

  private enum Stage: Comparable {
    case slow, stalled, delayed
  }

  /// Those that were told of.
  private var told: [(part: LatePart, stage: Stage)] = []

  /// - Returns: whether to give the manager a sign of life, and what to tell.
  mutating func decide(late: [LatePart]) -> (isFed: Bool, news: [News]) {
    var news: [News] = []
    let before = told
    told = late.compactMap { part in Self.stage(of: part).map { (part, $0) } }
    for (part, _) in before where !told.contains(where: { $0.part.name == part.name }) {
      news.append(.recovered(part))
    }
    for (part, stage) in told
    where !before.contains(where: { $0.part.name == part.name && $0.stage >= stage }) {
      switch stage {
      case .slow: news.append(.slow(part))
      case .stalled: news.append(.stalled(part))
      case .delayed: news.append(.delayed(part))
      }
    }
    return (!told.contains { $0.stage == .stalled }, news)
  }

  private static func stage(of part: LatePart) -> Stage? {
    if part.isVital { return part.isStale ? .stalled : .slow }
    return part.isStale ? .delayed : nil
  }
}
