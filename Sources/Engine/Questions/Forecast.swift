package import CivilTime
import Reminders
import Store

/// Of which time it is asked how much goes out in it.
package struct ForecastQuestion: Sendable {
  package var span: TimeSpan
  /// How long each part of it is that is counted by itself.
  package var part: TimeSpan

  package init(span: TimeSpan, part: TimeSpan) {
    self.span = span
    self.part = part
  }
}

/// How much is going to go out, if nothing else is reported: each person's days lived ahead by the
/// functions that fire. Of many people a sample is asked, and what it says stands for all.
package struct Forecast: Sendable {
  package var now: Instant
  /// When its first part has begun: parts of a quarter of an hour begin with the quarters (UTC).
  package let start: Instant
  package var part: TimeSpan
  /// How many people there are, and of how many the days were looked at.
  package var people: Int
  package var asked: Int
  /// For each part how much goes out, by the category; counted once on whatever channels.
  package private(set) var counts: [[String: Double]]

  package init(now: Instant, _ question: ForecastQuestion, people: Int = 0) {
    self.now = now
    part = question.part
    self.people = people
    asked = 0
    let length = max(part.milliseconds, 1)
    let begun = now.milliseconds % length
    start = Instant(milliseconds: now.milliseconds - (begun < 0 ? begun + length : begun))
    let span = (now + question.span - start).milliseconds
    counts = Array(repeating: [:], count: Int((span + length - 1) / length))
  }

  /// Whether everybody was looked at.
  package var isExact: Bool { asked == people }

  mutating func add(_ category: String, at instant: Instant) {
    let index = Int((instant - start).milliseconds / max(part.milliseconds, 1))
    guard counts.indices.contains(index) else { return }
    counts[index][category, default: 0] += 1
  }

  /// Has what was counted of the sample stand for all.
  mutating func extend(from asked: Int) {
    self.asked = asked
    guard asked > 0, !isExact else { return }
    let factor = Double(people) / Double(asked)
    for index in counts.indices { counts[index] = counts[index].mapValues { $0 * factor } }
  }
}

extension Questions {
  /// How many people are looked at: some tens of milliseconds of work, and of ten deliveries in
  /// every hundred people the error is one or two.
  static let forecastSample = 400

  func forecast(_ question: ForecastQuestion, now: Instant) throws(StoreError) -> Forecast {
    let view = published.view
    let people = try readers.read { transaction in
      let rows = Self.sample(through: try transaction.lastRecipient())
      return try transaction.recipients(rows: rows[...]).map(\.recipient)
    }
    let isWhole = people.count >= view.recipients
    var forecast = Forecast(
      now: now, question, people: isWhole ? people.count : view.recipients)
    let end = now + question.span
    for person in people {
      let context = PlanningContext(facts: person.facts, planner: view.planner)
      let firings = person.ahead(from: now, through: end, planner: view.planner)
      for firing in firings where firing.result == .settled(.delivered) {
        guard firing.at < end, let category = context.category(of: firing) else { continue }
        forecast.add(category, at: firing.at)
      }
    }
    forecast.extend(from: people.count)
    return forecast
  }

  /// Rows evenly spread; all there are, where they are few. No row is given out twice, so people of
  /// all ages are among them.
  static func sample(through last: UInt32) -> [UInt32] {
    guard last > 0 else { return [] }
    guard Int(last) > forecastSample else { return Array(1...last) }
    return (0..<forecastSample).map { index in
      UInt32((Int(last) - 1) * index / (forecastSample - 1)) + 1
    }
  }
}
