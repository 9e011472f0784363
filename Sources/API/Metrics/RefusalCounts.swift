import Logging
import Synchronization

/// Counts rejected events by reason and app. The events with the same reason and app are logged
/// together, at most once a minute (rule H6).
final class RefusalCounts: Sendable {
  /// The app name for events from recipients' own tokens.
  static let recipientsLabel = "recipient"
  /// The app name for events without a readable source, and for further apps once `keysMax` pairs
  /// of reason and app are counted.
  static let otherAppsLabel = "other"

  private struct Key: Hashable {
    let reason: String
    let app: String
  }

  private struct Entry {
    var count = 0
    /// The value of `count` at the last log entry.
    var loggedCount = 0
    var loggedAt: ContinuousClock.Instant?

    /// Counts an event.
    ///
    /// - Returns: how many events to log now; 0 if the last log entry is too recent.
    mutating func note(at now: ContinuousClock.Instant, every pause: Duration) -> Int {
      count += 1
      if let loggedAt, now - loggedAt < pause { return 0 }
      defer { loggedCount = count }
      loggedAt = now
      return count - loggedCount
    }
  }

  /// The maximum number of pairs of reason and app that are counted separately.
  private static let keysMax = 200
  /// The minimum time between two log entries about the same pair.
  private static let pause = Duration.seconds(60)

  private let entries = Mutex<[Key: Entry]>([:])
  private let logger: Logger
  private let clock: @Sendable () -> ContinuousClock.Instant

  init(logger: Logger, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.logger = logger
    self.clock = clock
  }

  /// - Parameter app: the source of the event; nil if it is missing or unreadable.
  func count(_ problem: Problem, of app: String?) {
    let name = app.map { $0.shortened } ?? Self.otherAppsLabel
    let now = clock()
    let (key, unlogged) = entries.withLock { entries in
      var key = Key(reason: problem.kind.rawValue, app: name)
      if entries[key] == nil, entries.count >= Self.keysMax {
        key = Key(reason: problem.kind.rawValue, app: Self.otherAppsLabel)
      }
      return (key, entries[key, default: Entry()].note(at: now, every: Self.pause))
    }
    if unlogged > 0 { logRefusals(key.app, problem, unlogged) }
  }

  /// Logs the rejection, but nothing from the event, because the event may contain personal data.
  private func logRefusals(_ app: String, _ problem: Problem, _ count: Int) {
    let number = count == 1 ? "an event" : "\(count) events"
    let location = problem.path.flatMap { Self.isPlain($0) ? " (\($0))" : nil } ?? ""
    logger.warning(
      "refused \(number) from \(app): \(problem.kind.title)\(location); the app got the reason",
      metadata: ["chime_reason": "\(problem.kind.rawValue)"])
  }

  private static func isPlain(_ path: String) -> Bool {
    path.utf8.count <= 64
      && path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._[]".contains($0)) }
  }

  /// The counts in Prometheus' text format.
  var text: String {
    let entries = entries.withLock { $0 }
    var writer = MetricsWriter()
    writer.begin(
      "chimed_refused_events_total", .counter,
      "Rejected events, by reason and by the app that reported them.")
    let inOrder = entries.sorted { ($0.key.app, $0.key.reason) < ($1.key.app, $1.key.reason) }
    for (key, entry) in inOrder {
      writer.sample([("reason", key.reason), ("app", key.app)], entry.count)
    }
    return writer.text
  }
}
