package import CivilTime
import Reminders
package import Store

/// Selects the time and the resolution of a forecast (rule L2).
package struct ForecastQuery: EngineQuery {
  /// How long the forecast is, from now on.
  package var span: TimeSpan
  /// The length of each part.
  package var part: TimeSpan

  package init(span: TimeSpan, part: TimeSpan) {
    self.span = span
    self.part = part
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Forecast {
    let view = questions.published.view
    let people = try questions.readers.read { transaction in
      let rows = Questions.sample(through: try transaction.lastRecipient())
      return try transaction.recipients(rows: rows[...]).map(\.recipient)
    }
    let areAllRead = people.count >= view.recipients
    var forecast = Forecast(
      now: now, self, people: areAllRead ? people.count : view.recipients)
    let end = now + span
    var simulatedCount = 0
    for person in people {
      let context = PlanningContext(facts: person.facts, planner: view.planner)
      let simulation = person.answer {
        $0.firingsAhead(from: now, through: end, planner: view.planner)
      }
      // A recipient whose planning or simulation did not end is not part of the sample.
      guard case .success(let ahead) = simulation, ahead.cut == nil else { continue }
      simulatedCount += 1
      for firing in ahead.firings where firing.result == .finished(.delivered) {
        guard firing.at < end, let category = context.category(of: firing) else { continue }
        forecast.add(category, at: firing.at)
      }
    }
    forecast.extrapolate(from: simulatedCount)
    return forecast
  }
}

/// The expected number of notifications if no event arrives. The days of a sample of recipients are
/// simulated with the functions that fire, and the counts are extrapolated.
package struct Forecast: Sendable {
  package var now: Instant
  /// The start of the first part. Parts of a quarter of an hour begin at the quarters (UTC).
  package let start: Instant
  /// The length of each part.
  package var part: TimeSpan
  /// The number of recipients, of which `simulatedCount` were simulated.
  package var people: Int
  package var simulatedCount: Int
  /// The number of notifications by category, for each part. A notification on several channels
  /// counts once.
  package private(set) var counts: [[String: Double]]

  package init(now: Instant, _ query: ForecastQuery, people: Int = 0) {
    self.now = now
    part = query.part
    self.people = people
    simulatedCount = 0
    let length = max(part.milliseconds, 1)
    let offset = now.milliseconds % length
    start = Instant(milliseconds: now.milliseconds - (offset < 0 ? offset + length : offset))
    let span = (now + query.span - start).milliseconds
    counts = Array(repeating: [:], count: Int((span + length - 1) / length))
  }

  /// Whether every recipient was simulated.
  package var isExact: Bool { simulatedCount == people }

  /// Counts a notification of a sampled recipient.
  mutating func add(_ category: String, at instant: Instant) {
    let index = Int((instant - start).milliseconds / max(part.milliseconds, 1))
    guard counts.indices.contains(index) else { return }
    counts[index][category, default: 0] += 1
  }

  /// Extrapolates the counts of the sample to all recipients.
  mutating func extrapolate(from simulatedCount: Int) {
    self.simulatedCount = simulatedCount
    guard simulatedCount > 0, !isExact else { return }
    let factor = Double(people) / Double(simulatedCount)
    for index in counts.indices { counts[index] = counts[index].mapValues { $0 * factor } }
  }
}

extension Questions {
  /// The size of the sample, whose simulation takes tens of milliseconds. If 10 % of the recipients
  /// get a notification, the error is one or two percentage points.
  static let forecastSample = 400

  /// Returns evenly spaced rows, or all if they are few. Rows are never reused, so the sample
  /// contains recipients of all ages.
  static func sample(through last: UInt32, size: Int = forecastSample) -> [UInt32] {
    guard last > 0 else { return [] }
    guard Int(last) > size else { return Array(1...last) }
    return (0..<size).map { index in
      UInt32((Int(last) - 1) * index / max(size - 1, 1)) + 1
    }
  }
}
