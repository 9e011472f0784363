import CivilTime
import JSON
import Reminders

/// The deliveries of a life in which everything is on, all gates are open and the zone never
/// changes. Each rule of the reminder program is a statement about the whole life, without state or
/// clock.
struct SimpleModel {
  private let life: Life
  private let zone: Zone
  private let lessons: [(time: Instant, day: Int64)]
  private let relapses: [Instant]
  private let streaks: [Instant]
  private let milestoneReports: [(time: Instant, days: Int64)]

  init(_ life: Life, zone: Zone) {
    self.life = life
    self.zone = zone
    func numbers(_ type: String, _ field: String) -> [(Instant, Int64)] {
      life.happenings.filter { $0.type == type }
        .map { ($0.time, $0.data[field]?.integerValue ?? 0) }
    }
    lessons = numbers("lesson.completed", "day")
    milestoneReports = numbers("milestone.reached", "days")
    relapses = life.happenings.filter { $0.type == "relapse" }.map(\.time)
    streaks = (relapses + life.happenings.filter { $0.type == "streak.started" }.map(\.time))
      .sorted()
  }

  /// All deliveries with their instants, in order.
  var entries: [String] {
    let deliveries = checkins + firstLessons + lessonChain + recoveries + milestones
    return deliveries.filter { $0.at <= life.until }.sorted { ($0.at, $0.text) < ($1.at, $1.text) }
      .map { "\(DiaryLine.format($0.at)) > \($0.text)" }
  }

  private typealias Entry = (at: Instant, text: String)

  /// Returns the dates of the life, each with its instant at the given hour of local time.
  private func daily(_ hour: Int) -> [(date: LocalDate, at: Instant)] {
    let time = LocalTime(minuteOfDay: hour * 60) ?? .midnight
    let first = zone.date(at: life.start)
    return (0...60).map { (first + $0, zone.instant(of: first + $0, at: time)) }
      .filter { $0.1 > life.start && $0.1 <= life.until }
  }

  /// A check-in every day at 21:00.
  private var checkins: [Entry] { daily(21).map { ($0.at, "daily-checkin-reminder") } }

  /// A first-lesson reminder every day at 8:00 until a lesson is completed, except on the day of
  /// the recovery and the rest of the day of the relapse.
  private var firstLessons: [Entry] {
    daily(8).filter { day in
      let isDone = lessons.contains { $0.time < day.at }
      let relapse = relapses.last { $0 < day.at }
      return !isDone && relapse.map { day.date >= zone.date(at: $0) + 2 } ?? true
    }.map { ($0.at, "first-lesson-reminder") }
  }

  /// A reminder a day after each lesson above the previous ones, unless a higher lesson or a
  /// relapse comes first.
  private var lessonChain: [Entry] {
    lessons.indices.compactMap { index in
      let (time, day) = lessons[index]
      let at = time + .hours(24)
      let isHighest = lessons[..<index].allSatisfy { $0.day < day }
      let isReplaced = lessons[(index + 1)...].contains { $0.time < at && $0.day > day }
      let isCancelled = relapses.contains { $0 > time && $0 < at }
      guard isHighest, !isReplaced, !isCancelled, day < 30 else { return nil }
      return (at, "daily-lesson-reminder \"Day \(day + 1) Lesson Ready\"")
    }
  }

  /// A recovery at 8:00 on the day after each relapse, unless another relapse comes first.
  private var recoveries: [Entry] {
    relapses.compactMap { relapse in
      let time = LocalTime(minuteOfDay: 8 * 60) ?? .midnight
      let at = zone.instant(of: zone.date(at: relapse) + 1, at: time)
      let isReplaced = relapses.contains { $0 > relapse && $0 < at }
      return isReplaced ? nil : (at, "relapse-recovery-reminder")
    }
  }

  /// A milestone once in each streak for each number of days: when the days have passed, or when
  /// the milestone is reported.
  private var milestones: [Entry] {
    let starts: [Instant?] = [nil] + streaks
    return starts.indices.flatMap { index -> [Entry] in
      let end = index + 1 < starts.count ? starts[index + 1] ?? life.until : life.until
      return [Int64(1), 3, 7, 14, 21, 30].compactMap { days in
        let planned = starts[index].map { $0 + .days(Int(days)) }
        let begin = starts[index] ?? life.start
        let reported = milestoneReports.first {
          $0.days == days && $0.time > begin && $0.time < end
        }
        let reportedAt = reported.map { $0.time + .seconds(1) }
        // A report after the planned instant sends nothing: the milestone was sent at that instant.
        guard let at = [planned, reportedAt].compactMap({ $0 }).min(), at < end else { return nil }
        return (at, "milestone-\(days)")
      }
    }
  }
}
