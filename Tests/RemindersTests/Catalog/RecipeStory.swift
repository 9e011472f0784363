import JSON

/// What a person does, and when the reminder of a recipe is sent. All times are local.
struct RecipeStory: Sendable {
  struct ReportedEvent: Sendable {
    let time: String
    let type: String
    let data: JSONValue

    init(_ time: String, _ type: String, _ data: JSONValue) {
      (self.time, self.type, self.data) = (time, type, data)
    }
  }

  /// The heading of the recipe in the manual.
  let title: String
  let start: String
  let end: String
  /// The events in the order of their times.
  let events: [ReportedEvent]
  /// When the reminder is sent from `start` to `end`.
  let expectedTimes: [String]

  init(
    _ title: String, from start: String, to end: String, events: [ReportedEvent] = [],
    sentAt expectedTimes: [String]
  ) {
    self.title = title
    self.start = start
    self.end = end
    self.events = events
    self.expectedTimes = expectedTimes
  }
}
