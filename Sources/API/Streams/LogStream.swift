import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// Streams the journal's entries as they are written.
struct LogStreamRoute: Sendable {
  let control: any ServiceControl
  let service: any ReminderService
  let admission: StreamAdmission

  var route: Route { Route(.get, "/v1/log/stream", .logStream, answer: .support(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    var query = try LogQuery(call)
    let start = try await start()
    var isCut = false
    (query.after, isCut) = try cursor(call, start)
    let stream = try admission.open(call) { $0.scope.has(.support) }
    let log = LogStream(control: control, stream: stream, start: start)
    return .events { [query, isCut] in try await log.run(query, isCut: isCut, to: &$0) }
  }

  /// Returns an identifier of this start of the service. The numbers of entries begin again at each
  /// start.
  private func start() async throws(Problem) -> String {
    String(try await service.result(of: StatusQuery()).started.milliseconds, radix: 36)
  }

  /// Returns the number of the entry after which the stream begins, and whether earlier entries are
  /// lost that the client has not received.
  private func cursor(_ call: Call, _ start: String) throws(Problem) -> (Int64, isCut: Bool) {
    if let text = call.lastEventID {
      guard let cursor = LogCursor(text) else {
        throw Problem(
          .lostCursor,
          "\"\(text.shortened)\" is not the id of an entry; read /v1/log, and open the stream with "
            + "?after= and its \"latest\"")
      }
      return cursor.start == start ? (cursor.number, false) : (0, true)
    }
    if let after = call.parameters["after"] { return (try PageBounds.number(after: after), false) }
    return (control.log(LogQuery()).latest, false)
  }
}

/// The cursor of a log stream: an entry's number, and the start of the service.
private struct LogCursor: CustomStringConvertible {
  var start: String
  var number: Int64

  init(_ start: String, _ number: Int64) {
    (self.start, self.number) = (start, number)
  }

  /// Parses a cursor; nil for a text in another format than `description`.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let number = Int64(parts[1]), number >= 0 else {
      return nil
    }
    self.init(String(parts[0]), number)
  }

  var description: String { "\(start)-\(number)" }
}

/// Sends new entries from the buffer. A slow client misses the oldest entries.
private struct LogStream: Sendable {
  let control: any ServiceControl
  let stream: OpenStream
  /// Identifies this start of the service, as a part of cursors.
  let start: String

  /// - Parameters:
  ///   - query: the filter, and the entry to begin after.
  ///   - isCut: whether entries are missing before the first one.
  func run(
    _ query: LogQuery, isCut: Bool, to writer: inout any ResponseBodyWriter
  ) async throws {
    let watch = control.watchLog { [signal = stream.signal] in signal.send(.deliveries) }
    defer { withExtendedLifetime(watch) {} }
    let opening = ServerSentEvents.opening(
      cursor: "\(LogCursor(start, query.after ?? 0))", retry: stream.limits.reconnection)
    try await stream.run(opening, to: &writer) { try await follow(query, isCut, &$0) }
  }

  private func follow(
    _ first: LogQuery, _ isCutBefore: Bool, _ writer: inout any ResponseBodyWriter
  ) async throws -> StreamEnd? {
    var (query, isCut) = (first, isCutBefore)
    while true {
      let page = control.log(query)
      let text = events(page, isCut: isCut || page.isCut)
      if text.readableBytes > 0 { try await writer.write(text) }
      (query.after, isCut) = (page.latest, false)
      let isFull = page.entries.count == query.limit
      let news = isFull && !stream.signal.isEnding ? .deliveries : await stream.signal.next()
      if let ending = stream.ending(by: news) { return ending.reason }
      if news.contains(.silence) { try await writer.write(ServerSentEvents.heartbeat) }
    }
  }

  private func events(_ page: LogPage, isCut: Bool) -> ByteBuffer {
    var buffer = ByteBuffer()
    if isCut {
      buffer.writeImmutableBuffer(ServerSentEvents.event("cut") { $0.value(.object([:])) })
    }
    for entry in page.entries {
      let cursor = "\(LogCursor(start, entry.number))"
      buffer.writeImmutableBuffer(
        ServerSentEvents.event("entry", id: cursor) { LogEntryPayload.write(entry, to: &$0) })
    }
    return buffer
  }
}

extension Operation {
  static let logStream = Operation(
    identifier: "logStream", summary: "Stream new journal entries",
    details: """
      Server-sent events. Each event "entry" is an entry of /v1/log. To continue, send the last \
      event's id as Last-Event-ID. After a restart of the service, the stream then begins with the \
      entries since the restart. Without an id it begins now. An event "cut" means that entries \
      before the next one are no longer in memory; the machine's journal has them. Heartbeats and \
      the event "end" are as in a recipient's stream.
      """,
    parameters: [
      .query("after", .text, "The \"latest\" of /v1/log; Last-Event-ID takes precedence"),
      .query("lastEventId", .text, "Last-Event-ID for clients that cannot send the header"),
    ] + logFilters + [
      .header("Last-Event-ID", .text, "The id of the last received event")
    ],
    answers: [
      Answer(
        "The events, until either side ends the stream",
        Schema.text.described("Blocks of lines; the data of an entry is as in /v1/log"),
        type: ServerSentEvents.contentType)
    ],
    problems: [.lostCursor])
}
