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
    details: """
      The gates are asked again about what has waited. A webhook that was answered with 410 sends \
      again.
      """,
    answers: [Answer("It goes on", pausing, example: ["sink": "webhook", "paused": false])],
    problems: [.unknownSink])

  static let testSink = Operation(
    identifier: "testSink", summary: "Hand one delivery to a sink, and see what it answers",
    details: """
      Also while it is paused or takes nothing. Nothing of it is recorded or counted, whatever the \
      sink says; it is not tried again, and no other sink takes over. A sink that goes by people's \
      own addresses wants a recipient.
      """,
    parameters: [
      .query("wait", .integer(1...50), "How many seconds the sink has to answer; 15 unless given")
    ],
    body: Body(Content(schema: .of(SinkTestBody.self), example: ["channel": "push"])),
    answers: [
      Answer(
        "What it said", .of(SinkTestPayload.self),
        example: [
          "sink": "webhook", "id": "test-1772442000000", "channel": "push",
          "at": "2026-03-02T09:00:00.000Z", "verdict": "retry", "reason": "503",
          "status": "503", "excerpt": "busy", "milliseconds": 20,
        ])
    ],
    problems: [.unknownSink, .unknownRecipient, .invalidBody, .tooManyRequests])

  private static let pausing = Schema.of(PausingPayload.self)
}
