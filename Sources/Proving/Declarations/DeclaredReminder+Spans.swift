import CivilTime
import Reminders

extension DeclaredReminder {
  /// Returns the longest time between the reminder's cause, or the instant that it announces, and
  /// its notification.
  func longestSpan(_ settings: Settings) -> TimeSpan {
    switch reminder.trigger {
    case .calendar, .plan, .request: .zero
    case .after(let trigger): Self.span(of: trigger.delay, settings)
    case .milestone(let trigger): trigger.delay
    case .idle(let trigger):
      trigger.unit * Int(clamping: (trigger.count.numbers(settings).max() ?? 1) * trigger.factor)
    case .items(let trigger):
      switch trigger.timing {
      case .after(let delay): Self.span(of: delay, settings)
      case .hoursBefore(_, let counts): .hours(Int(clamping: counts.numbers(settings).max() ?? 0))
      case .datesBefore(_, let counts, _):
        .days(Int(clamping: counts.numbers(settings).max() ?? 0) + 1)
      case .spansBefore(_, let spans): spans.map { $0.span(settings) }.max() ?? .zero
      }
    }
  }

  private static func span(of delay: Delay, _ settings: Settings) -> TimeSpan {
    switch delay {
    case .elapsed(let span): span.span(settings)
    case .nextDate, .nextTime: .days(2)
    case .dates(let counts, _): .days(Int(clamping: counts.numbers(settings).max() ?? 0) + 1)
    }
  }

  /// Returns the number of days within which the reminder occurs at least once after its cause.
  func daysToOccur(_ settings: Settings) -> Int {
    if case .calendar(let trigger) = reminder.trigger {
      let step = trigger.series?.step.map { $0.numbers(settings).first ?? 1 } ?? 1
      switch trigger.days {
      case .week: return 8 + Int(clamping: step) * (trigger.series?.unit == .week ? 7 : 1)
      case .month: return 33 * Int(clamping: step)
      case .year: return 368
      }
    }
    return Int(longestSpan(settings).milliseconds / TimeSpan.days(1).milliseconds) + 3
  }
}
