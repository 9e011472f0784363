import Proving

extension PlantedFault {
  static let all = days + things + texts + ends

  private static let days = [
    PlantedFault(
      "too many repetitions", .dailyLimit, "water", wrong: "12", right: "2",
      """
      events: {water.drunk: {from: recipient}}
      categories: {WATER: {title: Water, channels: {push: true}}}
      groups: {water: {enabled: true, time: "09:00"}}
      reminders:
        water:
          category: WATER
          group: water
          every: {day: {at: $time}}
          unless: water.drunk
          again: {every: 30m, times: FAULT}
          expires: 1h
          messages: [{title: Water, body: Drink a glass.}]
      """),
    PlantedFault(
      "silent at night", .quietHours, "diary", wrong: "silent", right: "hold",
      """
      categories: {DIARY: {title: Diary, channels: {push: true}, quiet: FAULT}}
      groups: {diary: {enabled: true, time: "22:00"}}
      reminders:
        diary:
          category: DIARY
          group: diary
          every: {day: {at: $time}}
          expires: 12h
          messages: [{title: Diary, body: How was the day?}]
      """),
    PlantedFault(
      "the same twice", .noDoubles, "first", wrong: "Stand up.", right: "Look far away.",
      """
      categories: {BREAK: {title: Breaks, channels: {push: true}}}
      groups: {breaks: {enabled: true}}
      reminders:
        first:
          category: BREAK
          group: breaks
          every: {day: {at: "10:00"}}
          expires: 1h
          messages: [{title: A break, body: Stand up.}]
        second:
          category: BREAK
          group: breaks
          every: {week: {on: [tue], at: "10:00"}}
          expires: 1h
          messages: [{title: A break, body: FAULT}]
      """),
  ]

  private static let things = [
    PlantedFault(
      "unless for any parcel", .independentThings, "collect",
      wrong: "{event: parcel.collected, per: any}", right: "parcel.collected",
      """
      events:
        parcel.sent: {parcel: identifier}
        parcel.collected: {parcel: identifier, from: recipient}
      categories: {PARCEL: {title: Parcels, channels: {push: true}}}
      groups: {parcels: {enabled: true}}
      reminders:
        collect:
          category: PARCEL
          group: parcels
          on: {event: parcel.sent, days: 1, at: "18:00"}
          unless: FAULT
          expires: 12h
          messages: [{title: A parcel, body: "Collect {{parcel}}."}]
      """),
    PlantedFault(
      "cancel for any plant", .independentThings, "watering",
      wrong: "{event: plant.removed, per: any}", right: "plant.removed",
      """
      events: {plant.added: {plant: identifier}, plant.removed: {plant: identifier}}
      categories: {PLANT: {title: Plants, channels: {push: true}}}
      groups: {plants: {enabled: true}}
      reminders:
        watering:
          category: PLANT
          group: plants
          since: plant.added
          every: {day: {at: "09:00"}}
          cancel: FAULT
          expires: 12h
          messages: [{title: Plants, body: Water the plants.}]
      """),
    PlantedFault(
      "a late booking is skipped", .announced, "visit", wrong: "skip", right: "send",
      """
      events: {visit.booked: {visit: identifier, at: instant}, visit.cancelled: {visit: identifier}}
      categories: {VISIT: {title: Visits, channels: {push: true}}}
      groups: {visits: {enabled: true}}
      reminders:
        visit:
          category: VISIT
          group: visits
          before: {event: visit.booked, at: at, by: 48h}
          late: FAULT
          cancel: visit.cancelled
          expires: 2h
          messages: [{title: A visit, body: "It is {{until}}."}]
      """),
    PlantedFault(
      "after the departure", .notAfter, "packing",
      wrong: "on: {event: trip.booked, days: 3, at: \"09:00\"}",
      right: "before: {event: trip.booked, at: start, days: 3, time: \"09:00\"}",
      """
      events: {trip.booked: {trip: identifier, start: instant}, trip.ended: {trip: identifier}}
      categories: {TRIP: {title: Trips, channels: {push: true}}}
      groups: {trips: {enabled: true}}
      reminders:
        packing:
          category: TRIP
          group: trips
          FAULT
          cancel: trip.ended
          expires: 1d
          messages: [{title: Packing, body: "Your trip begins {{start.until}}."}]
      """),
  ]

  private static let texts = [
    PlantedFault(
      "tomorrow is today", .texts, "visit", wrong: "tomorrow", right: "{{until}}",
      """
      events: {visit.booked: {visit: identifier, at: instant}, visit.cancelled: {visit: identifier}}
      categories: {VISIT: {title: Visits, channels: {push: true}}}
      groups: {visits: {enabled: true}}
      reminders:
        visit:
          category: VISIT
          group: visits
          before: {event: visit.booked, at: at, by: 1d}
          cancel: visit.cancelled
          expires: 2h
          messages: [{title: A visit, body: "You are expected FAULT."}]
      """),
    PlantedFault(
      "an empty text", .texts, "lecture", wrong: "",
      right: "{{^place}}It is on the screen.{{/place}}",
      """
      events: {lecture.set: {lecture: identifier, place: text?}}
      categories: {LECTURE: {title: Lectures, channels: {push: true}}}
      groups: {lectures: {enabled: true}}
      reminders:
        lecture:
          category: LECTURE
          group: lectures
          on: {event: lecture.set, delay: 1s}
          expires: 1d
          messages: [{title: A lecture, body: "{{#place}}It is in {{place}}.{{/place}}FAULT"}]
      """),
    PlantedFault(
      "a dead repetition", .alive, "stretch+1", wrong: "repeat", right: "once",
      """
      categories: {STRETCH: {title: Stretching, channels: {push: true}}}
      groups: {stretch: {enabled: true, mode: {choice: [once, repeat]}}}
      reminders:
        stretch:
          category: STRETCH
          group: stretch
          when: {mode: once}
          every: {day: {at: "15:00"}}
          again: {every: 1h, times: 1, when: {mode: FAULT}}
          expires: 2h
          messages: [{title: Stretching, body: Take two minutes.}]
      """),
  ]

  private static let ends = [
    PlantedFault(
      "a series without an end", .seriesEnd, "exercises", wrong: "",
      right: "cancel: therapy.ended",
      """
      events: {therapy.begun: {}, therapy.ended: {}}
      categories: {THERAPY: {title: Therapy, channels: {push: true}}}
      groups: {therapy: {enabled: true}}
      reminders:
        exercises:
          category: THERAPY
          group: therapy
          since: therapy.begun
          every: {day: {at: "08:00"}}
          FAULT
          expires: 12h
          messages: [{title: Exercises, body: Ten minutes.}]
      """),
    PlantedFault(
      "a reminder of a cancelled course", .doneIsQuiet, "course-soon", wrong: "",
      right: "cancel: course.cancelled",
      """
      events:
        course.booked: {course: identifier, at: instant}
        course.cancelled: {course: identifier}
      categories: {COURSE: {title: Courses, channels: {push: true}}}
      groups: {courses: {enabled: true}}
      reminders:
        course-ahead:
          category: COURSE
          group: courses
          before: {event: course.booked, at: at, days: 1, time: "10:00"}
          cancel: course.cancelled
          expires: 6h
          messages: [{title: Course, body: "It begins {{until}}."}]
        course-soon:
          category: COURSE
          group: courses
          before: {event: course.booked, at: at, by: 2h}
          FAULT
          expires: 1h
          messages: [{title: Course soon, body: "It begins {{until}}."}]
      """),
    PlantedFault(
      "a repetition after the act", .doneIsQuiet, "walk-again", wrong: "",
      right: "unless: walk.logged",
      """
      events: {walk.logged: {from: recipient}}
      categories: {WALK: {title: Walks, channels: {push: true}}}
      groups: {walks: {enabled: true}}
      reminders:
        walk:
          category: WALK
          group: walks
          every: {day: {at: "16:00"}}
          unless: walk.logged
          expires: 1h
          messages: [{title: A walk, body: Half an hour is enough.}]
        walk-again:
          category: WALK
          group: walks
          repeats: walk
          every: {day: {at: "16:00", after: 2h}}
          FAULT
          expires: 1h
          messages: [{title: No walk yet, body: A short one counts as well.}]
      """),
    PlantedFault(
      "a repetition of another group", .switchesAreExact, "reading-again", wrong: "nudges",
      right: "reading",
      """
      categories: {READING: {title: Reading, channels: {push: true}}}
      groups: {reading: {enabled: true}, nudges: {enabled: true}}
      reminders:
        reading:
          category: READING
          group: reading
          every: {day: {at: "20:00"}}
          expires: 30m
          messages: [{title: Reading, body: A chapter?}]
        reading-again:
          category: READING
          group: FAULT
          repeats: reading
          every: {day: {at: "20:00", after: 1h}}
          expires: 30m
          messages: [{title: Reading, body: A page?}]
      """),
  ]
}
