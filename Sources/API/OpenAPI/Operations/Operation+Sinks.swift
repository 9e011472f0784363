import JSON

extension Operation {
  static let pauseSink = Operation(
    identifier: "pauseSink", summary: "Hand nothing to a sink until it is resumed",
    details: """
      What is for it waits, through restarts as well. What it has already it answers for; no other \
      sink takes over. What expires meanwhile is not sent when it goes on.
      """,
    answers: [Answer("It is paused", pausing, example: ["sink": "webhook", "paused": true])],
    problems: [.unknownSink])

  static let resumeSink = Operation(
    identifier: "resumeSink", summary: "Go on handing over to a sink",
    details: "The gates are asked again about what has waited.",
    answers: [Answer("It goes on", pausing, example: ["sink": "webhook", "paused": false])],
    problems: [.unknownSink])

  private static let pausing = Schema.object(.init("sink", .text), .init("paused", .boolean))
}
