import JSON

extension Operation {
  static let pauseSink = Operation(
    identifier: "pauseSink", summary: "Pause a sink until it is resumed",
    details: """
      Queued deliveries wait, even after a restart, and use no other sink. Deliveries in flight \
      finish. Deliveries that expire meanwhile are not sent after the pause.
      """,
    answers: [Answer("It is paused", pausing, example: ["sink": "webhook", "paused": true])],
    problems: [.unknownSink])

  static let resumeSink = Operation(
    identifier: "resumeSink", summary: "Resume a sink",
    details: """
      Gates are evaluated again for waiting deliveries. A webhook that was answered 410 sends \
      again.
      """,
    answers: [Answer("It is resumed", pausing, example: ["sink": "webhook", "paused": false])],
    problems: [.unknownSink])

  static let testSink = Operation(
    identifier: "testSink", summary: "Send a test delivery to a sink, and return its answer",
    details: """
      Works while the sink is paused or down. The delivery is neither recorded nor counted, and \
      after any answer there is no retry or fallback. A sink that sends to recipients' own \
      addresses needs a recipient.
      """,
    parameters: [
      .query("wait", .integer(1...50), "The sink's time to answer in seconds; default: 15")
    ],
    body: Body(Content(schema: .of(SinkTestBody.self), example: ["channel": "push"])),
    answers: [
      Answer(
        "The sink's answer", .of(SinkTestPayload.self),
        example: [
          "sink": "webhook", "id": "test-1772442000000", "channel": "push",
          "at": "2026-03-02T09:00:00.000Z", "verdict": "retry", "reason": "503",
          "status": "503", "excerpt": "busy", "milliseconds": 20,
        ])
    ],
    problems: [.unknownSink, .unknownRecipient, .invalidBody, .tooManyRequests])

  private static let pausing = Schema.of(PausingPayload.self)
}
