import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let stream = Operation(
    identifier: "stream", summary: "What goes out to a person, as it goes out",
    details: """
      Server-sent events (WHATWG HTML, section 9.2). Each delivery on one of the channels is an \
      event "notification" once it is decided and on disk: its data is a Delivery, on one line, \
      the same that sinks are handed, and its id is the place to go on from. A delivery is \
      sent when it is recorded as delivered; it is not sent again when it is read or dismissed.

      Send the last id as Last-Event-ID to go on behind it, without loss and without doubles, also \
      after a restart of the service: whatever was missed, up to 10,000 notifications, comes \
      first, in the order of decision. The stream begins with a block that has an id and no data: \
      note the id, as an EventSource does, and a connection that breaks before the first event \
      loses nothing either. Without an id the stream begins now. The id of a notification, as \
      /notifications has it, is a place too. A place that is not one of this person's, or that \
      is too far behind, is answered with 410: read /notifications, and begin without an id.

      A line that begins with a colon is a heartbeat, at least every 15 seconds; take a stream \
      that is silent for much longer for broken. "retry" says after how many milliseconds to \
      connect again. Before the service ends a stream it sends an event "end" whose data says why: \
      {"reason":"stopping"} (connect again), "behind" (likewise), "unauthorized" (the token does \
      not hold any more) or "erased" (the person is not known any more).
      """,
    parameters: [
      .query("channels", channels, "The channels, with commas between; inapp,push unless given"),
      .query(
        "lastEventId", .text,
        "For clients that cannot send a header; Last-Event-ID counts before it"),
      .header("Last-Event-ID", .text, "The id of the last event that was received"),
    ],
    answers: [
      Answer(
        "The events, until either side ends the stream",
        Schema.text.described("Blocks of lines; the data of a notification is a Delivery"),
        type: ServerSentEvents.contentType, example: .string(example))
    ],
    problems: [.unknownRecipient, .lostPlace])

  private static let channels: Schema = {
    let name = "(" + Channel.allCases.map(\.name).joined(separator: "|") + ")"
    return Schema(
      type: "string", ["pattern": .string("^\(name)(,\(name))*$"), "examples": ["inapp,push"]])
  }()

  private static let example = """
    retry: 2000
    id: 4f1k9-17-all

    id: 4f1k9-18-push
    event: notification
    data: {"id":"4f1k9-18","recipient":"u1","reminder":"daily-checkin-reminder",\
    "category":"CHECKIN","channel":"push","title":"Daily check-in","body":"How was your day?",\
    "planned":"2026-03-02T21:00:00.000Z","at":"2026-03-02T21:00:00.000Z"}

    :


    """
}
