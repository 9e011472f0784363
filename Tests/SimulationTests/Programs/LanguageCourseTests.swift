import JSON
import Testing

/// A language course in Arabic: streaks with freezes and new starts, spaced repetition with the
/// learner's own interval, fortnightly reviews, and classes.
@Suite struct LanguageCourseTests {
  private static let catalog = """
    catalog: course
    language: ar
    events:
      course.started: {from: recipient}
      lesson.done: {unit: text, from: recipient}
      streak.broken: {}
      streak.frozen: {from: recipient}
      class.booked: {class: identifier, at: instant, teacher: text, room: text?}
      class.joined: {class: identifier}
    categories:
      STREAK: {title: السلسلة, channels: {push: true}}
      LESSON: {title: الدروس, channels: {push: true}}
      CLASS: {title: الحصص, urgency: high, channels: {push: true}}
    groups:
      streaks: {enabled: true}
      lessons: {enabled: true, time: "20:00", spacing: {duration: [1h, 30d], initial: 20h}}
      classes: {enabled: true}
    reminders:
      "streak-{days}":
        category: STREAK
        group: streaks
        on:
          event: milestone.reached
          delay: 1s
          since: streak.started
          freeze: {event: streak.frozen, by: 24h}
        expires: 1d
        messages:
          - title: "{{name}}"
            body: "{{days | zero: # | one: يوم | two: يومان | few: # أيام
              | many: # يومًا | other: # يوم}}"
        milestones:
          3: {name: برونز, meaning: بداية}
          7: {name: فضة, meaning: أسبوع}
          14: {name: ذهب, meaning: أسبوعان}
      streak-weeks:
        category: STREAK
        group: streaks
        every: {day: {at: "18:00", step: 7, after: {days: 6}}}
        since: streak.started
        cancel: streak.broken
        expires: 6h
        messages:
          - title: أحسنت{{#recipient.name}} يا {{recipient.name}}{{/recipient.name}}
            body: "{{days | zero: # | one: يوم | two: يومان | few: # أيام
              | many: # يومًا | other: # يوم}}"
      repeat:
        category: LESSON
        group: lessons
        after: {event: lesson.done, delay: $spacing}
        expires: 6h
        messages: [{title: مراجعة, body: "{{unit}}"}]
      nudge:
        category: LESSON
        group: lessons
        every: {day: {at: $time}}
        having: {event: lesson.done, within: 3d}
        unless: lesson.done
        expires: 3h
        messages: [{title: درس اليوم, body: دقيقة تكفي.}]
      review:
        category: LESSON
        group: lessons
        every: {week: {on: [sat], at: "10:00", step: 2}}
        since: course.started
        expires: 6h
        messages: [{title: اختبار, body: ماذا بقي في ذاكرتك؟}]
      class-soon:
        category: CLASS
        group: classes
        before: {event: class.booked, at: at, by: 30m}
        expires: 20m
        messages:
          - title: حصة مع {{teacher}}
            body: "{{at.longDate}}، {{at.time}}{{#room}}، غرفة {{room}}{{/room}}\\
              {{^room}}، عن بعد{{/room}}"
      class-begun:
        category: CLASS
        group: classes
        past: {event: class.booked, at: at, by: 10m}
        cancel: class.joined
        expires: 20m
        messages: [{title: بدأت الحصة, body: "{{teacher}}"}]
    """

  private static func lesson(_ unit: String) -> JSONValue { ["unit": .string(unit)] }

  @Test func `G1: a learner's reminders in January are sent as declared`() throws {
    try Program.expect(
      Self.catalog,
      [
        (
          "l", "2026-01-05T09:00:00Z", "recipient.updated",
          ["timezone": "Asia/Riyadh", "locale": "ar-SA", "name": "ليلى"]
        ),
        ("l", "2026-01-05T09:00:00Z", "course.started", [:]),
        ("l", "2026-01-05T09:00:00Z", "streak.started", [:]),
        ("l", "2026-01-05T09:30:00Z", "lesson.done", Self.lesson("1")),
        ("l", "2026-01-06T09:30:00Z", "lesson.done", Self.lesson("2")),
        ("l", "2026-01-07T09:00:00Z", "streak.frozen", [:]),
        ("l", "2026-01-08T09:30:00Z", "lesson.done", Self.lesson("3")),
        (
          "l", "2026-01-08T10:00:00Z", "preferences.updated",
          ["reminders": ["lessons": ["spacing": "PT2H"]]]
        ),
        (
          "l", "2026-01-08T10:00:00Z", "class.booked",
          ["class": "1", "at": "2026-01-09T16:00:00Z", "teacher": "عمر"]
        ),
        (
          "l", "2026-01-08T10:00:00Z", "class.booked",
          ["class": "2", "at": "2026-01-16T16:00:00Z", "teacher": "عمر", "room": "B2"]
        ),
        ("l", "2026-01-09T16:02:00Z", "class.joined", ["class": "1"]),
        ("l", "2026-01-14T08:00:00Z", "streak.broken", [:]),
        ("l", "2026-01-20T08:00:00Z", "streak.started", [:]),
      ], until: "2026-01-28T00:00:00Z",
      [
        // Clocks in Riyadh are three hours ahead.
        "2026-01-06T05:30:00 l repeat: مراجعة | 1",
        "2026-01-07T05:30:00 l repeat: مراجعة | 2",
        "2026-01-07T17:00:00 l nudge: درس اليوم | دقيقة تكفي.",
        "2026-01-08T11:30:00 l repeat: مراجعة | 3",
        // The milestone comes a day later, because the streak was frozen after two days.
        "2026-01-09T09:00:00 l streak-3: برونز | 3 أيام",
        "2026-01-09T15:30:00 l class-soon: حصة مع \u{2068}عمر\u{2069} | "
          + "الجمعة، 9 يناير 2026، 7:00 م، عن بعد",
        "2026-01-09T17:00:00 l nudge: درس اليوم | دقيقة تكفي.",
        "2026-01-10T07:00:00 l review: اختبار | ماذا بقي في ذاكرتك؟",
        "2026-01-10T17:00:00 l nudge: درس اليوم | دقيقة تكفي.",
        "2026-01-12T15:00:00 l streak-weeks: أحسنت يا \u{2068}ليلى\u{2069} | 7 أيام",
        "2026-01-13T09:00:00 l streak-7: فضة | 7 أيام",
        "2026-01-16T15:30:00 l class-soon: حصة مع \u{2068}عمر\u{2069} | "
          + "الجمعة، 16 يناير 2026، 7:00 م، غرفة \u{2068}B2\u{2069}",
        "2026-01-16T16:10:00 l class-begun: بدأت الحصة | \u{2068}عمر\u{2069}",
        "2026-01-23T08:00:00 l streak-3: برونز | 3 أيام",
        "2026-01-24T07:00:00 l review: اختبار | ماذا بقي في ذاكرتك؟",
        "2026-01-27T08:00:00 l streak-7: فضة | 7 أيام",
        "2026-01-27T15:00:00 l streak-weeks: أحسنت يا \u{2068}ليلى\u{2069} | 7 أيام",
      ])
  }
}
