import JSON

/// The dates of the recipes of chimed-recipes(7), for a person in Berlin. They were computed with
/// python-dateutil, or counted by hand where they follow an event.
enum RecipeStories {
  static let all: [RecipeStory] = [
    RecipeStory(
      "Every day at the person's own time", from: "2026-03-27 12:00", to: "2026-03-30 12:00",
      sentAt: [
        "2026-03-28 09:00", "2026-03-29 09:00", "2026-03-30 09:00",
      ]),
    RecipeStory(
      "Three times a day", from: "2026-03-28 12:00", to: "2026-03-29 21:00",
      sentAt: [
        "2026-03-28 14:00", "2026-03-28 20:00", "2026-03-29 08:00", "2026-03-29 14:00",
        "2026-03-29 20:00",
      ]),
    RecipeStory(
      "On the person's own days of the week", from: "2026-03-02 12:00", to: "2026-03-10 12:00",
      sentAt: [
        "2026-03-04 09:00", "2026-03-06 09:00", "2026-03-09 09:00",
      ]),
    RecipeStory(
      "On working days", from: "2026-04-01 12:00", to: "2026-04-09 12:00",
      sentAt: [
        "2026-04-02 09:00", "2026-04-07 09:00", "2026-04-08 09:00", "2026-04-09 09:00",
      ]),
    RecipeStory(
      "Every second day", from: "2026-03-26 12:00", to: "2026-04-01 12:00",
      sentAt: [
        "2026-03-28 09:00", "2026-03-30 09:00", "2026-04-01 09:00",
      ]),
    RecipeStory(
      "Every second Tuesday", from: "2026-03-01 12:00", to: "2026-04-30 12:00",
      sentAt: [
        "2026-03-03 09:00", "2026-03-17 09:00", "2026-03-31 09:00", "2026-04-14 09:00",
        "2026-04-28 09:00",
      ]),
    RecipeStory(
      "On the first and the fifteenth", from: "2026-01-10 12:00", to: "2026-03-20 12:00",
      sentAt: [
        "2026-01-15 09:00", "2026-02-01 09:00", "2026-02-15 09:00", "2026-03-01 09:00",
        "2026-03-15 09:00",
      ]),
    RecipeStory(
      "On the last day of each month", from: "2027-12-20 12:00", to: "2028-03-31 12:00",
      sentAt: [
        "2027-12-31 09:00", "2028-01-31 09:00", "2028-02-29 09:00", "2028-03-31 09:00",
      ]),
    RecipeStory(
      "On the first Monday of each month", from: "2026-01-10 12:00", to: "2026-04-20 12:00",
      sentAt: [
        "2026-02-02 09:00", "2026-03-02 09:00", "2026-04-06 09:00",
      ]),
    RecipeStory(
      "On the last Friday of each month", from: "2026-01-10 12:00", to: "2026-04-30 12:00",
      sentAt: [
        "2026-01-30 16:00", "2026-02-27 16:00", "2026-03-27 16:00", "2026-04-24 16:00",
      ]),
    RecipeStory(
      "On the first working day of each month", from: "2025-12-20 12:00", to: "2026-05-20 12:00",
      sentAt: [
        "2026-01-02 09:00", "2026-02-02 09:00", "2026-03-02 09:00", "2026-04-01 09:00",
        "2026-05-04 09:00",
      ]),
    RecipeStory(
      "On the last working day of each month", from: "2026-01-10 12:00", to: "2026-06-10 12:00",
      sentAt: [
        "2026-01-30 09:00", "2026-02-27 09:00", "2026-03-31 09:00", "2026-04-30 09:00",
        "2026-05-29 09:00",
      ]),
    RecipeStory(
      "On the working day nearest to the fifteenth", from: "2026-01-20 12:00",
      to: "2026-08-30 12:00",
      sentAt: [
        "2026-02-16 09:00", "2026-03-16 09:00", "2026-04-15 09:00", "2026-05-15 09:00",
        "2026-06-15 09:00", "2026-07-15 09:00", "2026-08-14 09:00",
      ]),
    RecipeStory(
      "On the first day of each quarter", from: "2026-01-10 12:00", to: "2026-12-30 12:00",
      sentAt: [
        "2026-04-01 09:00", "2026-07-01 09:00", "2026-10-01 09:00",
      ]),
    RecipeStory(
      "Once a year", from: "2026-01-10 12:00", to: "2028-01-30 12:00",
      sentAt: [
        "2026-12-24 09:00", "2027-12-24 09:00",
      ]),
    RecipeStory(
      "On 29 February, and on the 28th in other years", from: "2026-01-10 12:00",
      to: "2029-01-30 12:00",
      sentAt: [
        "2026-02-28 09:00", "2027-02-28 09:00", "2028-02-29 09:00",
      ]),
    RecipeStory(
      "Once a year, on the date in an event", from: "2026-01-10 12:00", to: "2028-12-30 12:00",
      events: [
        .init("2026-01-10 13:00", "friend.added", ["friend": "ann", "birthday": "1996-02-29"])
      ],
      sentAt: [
        "2026-02-28 09:00", "2027-02-28 09:00", "2028-02-29 09:00",
      ]),
    RecipeStory(
      "A week before that date, each year", from: "2026-01-10 12:00", to: "2028-12-30 12:00",
      events: [
        .init("2026-01-10 13:00", "friend.added", ["friend": "ann", "birthday": "1996-02-29"])
      ],
      sentAt: [
        "2026-02-21 09:00", "2027-02-21 09:00", "2028-02-22 09:00",
      ]),
    RecipeStory(
      "Some times a day, evenly", from: "2026-03-27 21:00", to: "2026-03-28 21:00",
      sentAt: [
        "2026-03-28 12:00", "2026-03-28 14:00", "2026-03-28 16:00", "2026-03-28 18:00",
      ]),
    RecipeStory(
      "At three random times a day", from: "2026-03-02 07:00", to: "2026-03-03 21:00",
      sentAt: [
        "2026-03-02 11:45", "2026-03-02 14:17", "2026-03-02 17:55", "2026-03-03 13:13",
        "2026-03-03 15:45", "2026-03-03 17:42",
      ]),
    RecipeStory(
      "An hour after a time that the person has set", from: "2026-03-27 12:00",
      to: "2026-03-29 12:00",
      sentAt: [
        "2026-03-28 10:00", "2026-03-29 10:00",
      ]),
    RecipeStory(
      "From a date on", from: "2026-03-01 12:00", to: "2026-03-29 12:00",
      sentAt: [
        "2026-03-28 09:00", "2026-03-29 09:00",
      ]),
    RecipeStory(
      "Every second month, on its second Sunday", from: "2026-01-02 12:00", to: "2026-06-30 12:00",
      sentAt: [
        "2026-01-11 09:00", "2026-03-08 09:00", "2026-05-10 09:00",
      ]),
    RecipeStory(
      "Two hours after each event", from: "2026-03-28 10:00", to: "2026-03-28 20:00",
      events: [
        .init("2026-03-28 12:00", "meal.logged", [:]),
        .init("2026-03-28 13:00", "meal.logged", [:]),
      ],
      sentAt: [
        "2026-03-28 14:00", "2026-03-28 15:00",
      ]),
    RecipeStory(
      "Two hours after the latest event", from: "2026-03-28 10:00", to: "2026-03-28 20:00",
      events: [
        .init("2026-03-28 12:00", "meal.logged", [:]),
        .init("2026-03-28 13:00", "meal.logged", [:]),
      ],
      sentAt: [
        "2026-03-28 15:00"
      ]),
    RecipeStory(
      "At nine on the next day", from: "2026-03-28 10:00", to: "2026-03-30 20:00",
      events: [
        .init("2026-03-28 12:00", "meal.logged", [:])
      ],
      sentAt: [
        "2026-03-29 09:00"
      ]),
    RecipeStory(
      "On the evening of the same day, or else on the next", from: "2026-03-28 10:00",
      to: "2026-03-30 20:00",
      events: [
        .init("2026-03-28 12:00", "meal.logged", [:]),
        .init("2026-03-29 18:30", "meal.logged", [:]),
      ],
      sentAt: [
        "2026-03-28 18:00", "2026-03-30 18:00",
      ]),
    RecipeStory(
      "Three days later", from: "2026-03-27 10:00", to: "2026-04-02 20:00",
      events: [
        .init("2026-03-27 23:30", "meal.logged", [:])
      ],
      sentAt: [
        "2026-03-30 10:00"
      ]),
    RecipeStory(
      "Daily from an event until another", from: "2026-03-27 10:00", to: "2026-04-02 20:00",
      events: [
        .init("2026-03-27 12:00", "course.started", ["course": "a"]),
        .init("2026-03-30 12:00", "course.ended", ["course": "a"]),
      ],
      sentAt: [
        "2026-03-28 09:00", "2026-03-29 09:00", "2026-03-30 09:00",
      ]),
    RecipeStory(
      "On the day after an event, and then every week", from: "2026-03-20 10:00",
      to: "2026-04-12 20:00",
      events: [
        .init("2026-03-20 12:00", "course.started", ["course": "a"])
      ],
      sentAt: [
        "2026-03-21 09:00", "2026-03-28 09:00", "2026-04-04 09:00", "2026-04-11 09:00",
      ]),
    RecipeStory(
      "Seven days after an event, and then every week", from: "2026-03-20 10:00",
      to: "2026-04-12 20:00",
      events: [
        .init("2026-03-20 12:00", "course.started", ["course": "a"])
      ],
      sentAt: ["2026-03-27 09:00", "2026-04-03 09:00", "2026-04-10 09:00"]),
    RecipeStory(
      "Until an event has happened once", from: "2026-03-27 10:00", to: "2026-04-02 20:00",
      events: [
        .init("2026-03-29 12:00", "dose.taken", [:])
      ],
      sentAt: [
        "2026-03-28 09:00", "2026-03-29 09:00",
      ]),
    RecipeStory(
      "Only if it has happened twice within a week", from: "2026-03-20 10:00",
      to: "2026-04-02 20:00",
      events: [
        .init("2026-03-20 12:30", "meal.logged", [:]),
        .init("2026-03-27 12:00", "meal.logged", [:]),
      ],
      sentAt: [
        "2026-03-27 12:01"
      ]),
    RecipeStory(
      "Only above a limit", from: "2026-03-27 10:00", to: "2026-03-28 20:00",
      events: [
        .init("2026-03-27 12:00", "value.measured", ["value": 5.5]),
        .init("2026-03-27 13:00", "value.measured", ["value": 5.6]),
      ],
      sentAt: [
        "2026-03-27 13:01"
      ]),
    RecipeStory(
      "Interrupted for two days by an event", from: "2026-03-27 10:00", to: "2026-03-31 20:00",
      events: [
        .init("2026-03-28 12:00", "dose.taken", [:])
      ],
      sentAt: [
        "2026-03-28 09:00", "2026-03-30 09:00", "2026-03-31 09:00",
      ]),
    RecipeStory(
      "A day and two hours before an appointment", from: "2026-03-27 10:00", to: "2026-03-30 20:00",
      events: [
        .init("2026-03-27 11:00", "visit.booked", ["visit": "v", "at": "2026-03-29T14:00:00Z"])
      ],
      sentAt: [
        "2026-03-28 15:00", "2026-03-29 14:00",
      ]),
    RecipeStory(
      "On the evening before", from: "2026-03-27 10:00", to: "2026-03-30 20:00",
      events: [
        .init("2026-03-27 11:00", "visit.booked", ["visit": "v", "at": "2026-03-29T14:00:00Z"])
      ],
      sentAt: [
        "2026-03-28 18:00"
      ]),
    RecipeStory(
      "Three days before a due date, and on the day", from: "2026-03-20 10:00",
      to: "2026-04-02 20:00",
      events: [
        .init("2026-03-20 11:00", "bill.received", ["bill": "b", "due": "2026-03-31"]),
        .init("2026-03-20 11:00", "bill.received", ["bill": "c", "due": "2026-04-01"]),
        .init("2026-03-30 11:00", "bill.paid", ["bill": "c"]),
      ],
      sentAt: [
        "2026-03-28 09:00", "2026-03-29 09:00", "2026-03-31 09:00",
      ]),
    RecipeStory(
      "Only before appointments of a kind", from: "2026-03-27 10:00", to: "2026-03-30 20:00",
      events: [
        .init(
          "2026-03-27 11:00", "visit.booked",
          ["visit": "v", "at": "2026-03-27T19:00:00Z", "kind": "surgery"]),
        .init(
          "2026-03-27 11:30", "visit.booked",
          ["visit": "w", "at": "2026-03-27T18:00:00Z", "kind": "check"]),
      ],
      sentAt: [
        "2026-03-27 18:00"
      ]),
    RecipeStory(
      "An hour after a missed appointment", from: "2026-03-27 10:00", to: "2026-03-30 20:00",
      events: [
        .init("2026-03-27 11:00", "visit.booked", ["visit": "v", "at": "2026-03-27T19:00:00Z"]),
        .init("2026-03-27 11:30", "visit.booked", ["visit": "w", "at": "2026-03-27T14:00:00Z"]),
        .init("2026-03-27 15:05", "visit.kept", ["visit": "w"]),
      ],
      sentAt: [
        "2026-03-27 21:00"
      ]),
    RecipeStory(
      "In every second week of a course from the fourth on, and weekly from the ninth on",
      from: "2026-02-10 10:00", to: "2026-06-30 20:00",
      events: [
        .init("2026-02-10 11:00", "course.planned", ["course": "c", "start": "2026-01-05"])
      ],
      sentAt: [
        "2026-02-16 09:00", "2026-03-02 09:00", "2026-03-09 09:00", "2026-03-16 09:00",
        "2026-03-23 09:00", "2026-03-30 09:00",
      ]),
    RecipeStory(
      "Every morning while an appointment is near", from: "2026-03-25 10:00",
      to: "2026-03-30 20:00",
      events: [
        .init("2026-03-25 11:00", "visit.booked", ["visit": "v", "at": "2026-03-29T14:00:00Z"])
      ],
      sentAt: [
        "2026-03-28 08:00", "2026-03-29 08:00",
      ]),
    RecipeStory(
      "Unless it is done today", from: "2026-03-27 10:00", to: "2026-03-29 21:00",
      events: [
        .init("2026-03-27 12:00", "dose.taken", [:])
      ],
      sentAt: [
        "2026-03-28 20:00", "2026-03-29 20:00",
      ]),
    RecipeStory(
      "Again every half hour until it is done", from: "2026-03-28 10:00", to: "2026-03-28 23:00",
      events: [
        .init("2026-03-28 21:10", "dose.taken", [:])
      ],
      sentAt: [
        "2026-03-28 20:00", "2026-03-28 20:30", "2026-03-28 21:00",
      ]),
    RecipeStory(
      "After three days without an event", from: "2026-03-26 10:00", to: "2026-04-02 20:00",
      events: [
        .init("2026-03-27 12:00", "meal.logged", [:])
      ],
      sentAt: [
        "2026-03-30 13:00"
      ]),
    RecipeStory(
      "After three, six and twelve days without an event", from: "2026-03-26 10:00",
      to: "2026-04-12 20:00",
      events: [
        .init("2026-03-27 12:00", "meal.logged", [:])
      ],
      sentAt: [
        "2026-03-30 13:00", "2026-04-02 13:00", "2026-04-08 13:00",
      ]),
  ]
}
