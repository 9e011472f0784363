import CivilTime
import Reminders
import Testing

/// The shipped catalog of the reminder program.
@Suite struct ImanpathTests {
  @Test func `imanpath declares its reminders and milestones in order`() throws {
    let catalog = try Fixtures.planner().catalog
    let milestones = [1, 3, 7, 14, 21, 30, 40, 60, 90, 120, 180, 270, 365].map { "milestone-\($0)" }
    #expect(catalog.catalogNames == ["imanpath"])
    #expect(
      catalog.reminders.map(\.identifier) == [
        "daily-checkin-reminder", "first-lesson-reminder", "daily-lesson-reminder",
        "relapse-recovery-reminder",
      ] + milestones + ["morning-motivation", "weekly-summary"])
  }

  @Test(arguments: [
    ("daily-checkin-reminder", "CHECKIN", TimeSpan.hours(12)),
    ("first-lesson-reminder", "LESSON", .hours(12)), ("daily-lesson-reminder", "LESSON", .days(3)),
    ("relapse-recovery-reminder", "RECOVERY", .hours(24)), ("milestone-7", "MILESTONE", .days(2)),
  ])
  func `each reminder has its category and expiry`(
    name: String, category: String, expires: TimeSpan
  ) throws {
    let catalog = try Fixtures.planner().catalog
    let reminder = try #require(catalog.reminder(Symbol(name)))
    #expect(reminder.identifier == name)
    #expect(catalog.categories[reminder.category].name == category)
    #expect(reminder.expires == expires)
  }

  @Test func `P1: each category has only push, on by default`() throws {
    let catalog = try Fixtures.planner().catalog
    for category in catalog.categories {
      #expect(category.channels.map(\.channel) == [.push], "\(category.name)")
      #expect(
        category.channels.allSatisfy { catalog.settings.initialValues[$0.setting] == 1 },
        "\(category.name)")
    }
  }

  @Test(arguments: [
    ("daily-checkin-reminder", "How was your day? Take a moment to reflect."),
    ("daily-checkin-reminder", "A quick check-in keeps you on track. How are you feeling?"),
    ("daily-checkin-reminder", "End your day with intention. Complete your check-in."),
    ("first-lesson-reminder", "Your first lesson is waiting. Begin your journey today."),
    ("first-lesson-reminder", "Day 1 is ready. Take the first step toward freedom."),
    ("daily-lesson-reminder", "Day 8 Lesson Ready"),
    ("daily-lesson-reminder", "Continue building your strength. Day 8 is ready."),
    (
      "relapse-recovery-reminder",
      "Every setback is a setup for a comeback. Your journey continues."
    ),
    ("relapse-recovery-reminder", "Allah's mercy is greater than any fall. Rise again."),
    ("relapse-recovery-reminder", "The one who repents is beloved to Allah. Keep going."),
    ("milestone-7", "Milestone Reached: Sabr"),
    (
      "milestone-7",
      "7 days! Patience - Steadfastness through difficulty. Keep going, Allah is with you."
    ),
    ("first-lesson-reminder", "Start Your Journey"),
    ("relapse-recovery-reminder", "A New Beginning"),
  ])
  func `I6: every sample text is in the catalog`(name: String, text: String) throws {
    let reminder = try #require(try Fixtures.planner().catalog.reminder(Symbol(name)))
    let texts = reminder.messages.flatMap {
      [$0.title.text(number: 7), $0.body.text(number: 7)]
    }
    #expect(texts.contains(text))
  }

  @Test func `I4: every milestone has its own name and meaning`() throws {
    let catalog = try Fixtures.planner().catalog
    let milestones = catalog.reminders.filter { $0.identifier.hasPrefix("milestone-") }
    #expect(Set(milestones.flatMap(\.messages)).count == 13)
    for reminder in milestones {
      let days = Int64(reminder.identifier.dropFirst("milestone-".count))
      let message = try #require(reminder.messages.first)
      #expect(message.title.text(number: days).hasPrefix("Milestone Reached: "))
      let body = message.body.text(number: days)
      #expect(body.hasPrefix(days == 1 ? "1 day! " : "\(days ?? 0) days! "))
      #expect(body.hasSuffix(". Keep going, Allah is with you."))
    }
  }
}
