import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders
import ServiceLifecycle

/// Ingests a stream of events, one per line, until it ends. Answers each line in order (rule E4).
struct EventLineStream: Sendable {
  let intake: EventIntake
  let reporter: EventReporter
  let limits: APILimits
  let refusals: RefusalCounts
  /// Limits the events that recipients' own tokens send.
  let eventLimiter: EventLimiter
  let now: @Sendable () -> Instant

  /// Thrown when the service stops, to end the stream before its body ends.
  private struct StoppingError: Error {}

  /// Returns a response whose body is written while the body of the request is read. Clients have
  /// to read while they send.
  func response(to call: Call) async throws(Problem) -> Response {
    _ = try await intake.service.result(of: StatusQuery())
    return Response(
      status: .ok, headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody { writer in
        let isComplete = try await answer(
          call.request.body, from: call.scope.origin, isOneGroup: isOneGroup(call.request.headers),
          to: &writer)
        try await writer.finish(nil)
        if !isComplete { call.scope.channel.end(after: limits.linger) }
      })
  }

  /// Whether the whole body is one group. All events of a group are applied to the recipients'
  /// facts before overdue reminders are decided (rule E6). A longer body is split into groups.
  private func isOneGroup(_ headers: HTTPFields) -> Bool {
    headers[.contentLength].flatMap { Int($0) }.map { $0 <= limits.groupBytes } ?? false
  }

  /// - Returns: whether the body was read to its end.
  private func answer(
    _ body: RequestBody, from origin: ConnectionOrigin, isOneGroup: Bool,
    to writer: inout any ResponseBodyWriter
  ) async throws -> Bool {
    let queue = BodyQueue(limit: limits.groupBytes)
    async let _ = Self.receive(body, into: queue)
    defer { queue.abandon() }
    return try await withGracefulShutdownHandler {
      try await processLines(queue, from: origin, isOneGroup: isOneGroup, &writer)
    } onGracefulShutdown: {
      queue.finish(.failure(StoppingError()))
    }
  }

  private static func receive(_ body: RequestBody, into queue: BodyQueue) async {
    do {
      for try await bytes in body {
        guard await queue.enqueue(bytes) else { return }
      }
      queue.finish(.success(()))
    } catch {
      queue.finish(.failure(error))
    }
  }

  private func processLines(
    _ queue: BodyQueue, from origin: ConnectionOrigin, isOneGroup: Bool,
    _ writer: inout any ResponseBodyWriter
  ) async throws -> Bool {
    let linesMax = isOneGroup ? Int.max : limits.groupLines
    let parser = JSONParser(maximumBytes: limits.body)
    var splitter = LineSplitter(maximumBytes: limits.body)
    var arrival = now()
    do {
      while let bytes = try await queue.dequeue() {
        splitter.append(bytes.readableBytesView)
        if !isOneGroup {
          try await submitLines(&splitter, linesMax, parser, origin, &arrival, &writer)
        }
      }
      splitter.finish()
      try await submitLines(&splitter, linesMax, parser, origin, &arrival, &writer)
      return true
    } catch let stop as EarlyEndError {
      try await writer.write(ByteBuffer(bytes: stop.lastLine))
    } catch is StoppingError {
      let reason = ServiceUnavailable(.stopping, "the service is stopping; send the rest again")
      let stop = EarlyEndError(line: splitter.nextNumber, Problem(reason))
      try await writer.write(ByteBuffer(bytes: stop.lastLine))
    }
    return false
  }

  /// Submits all complete lines, and writes the answers.
  private func submitLines(
    _ splitter: inout LineSplitter, _ linesMax: Int, _ parser: JSONParser,
    _ origin: ConnectionOrigin, _ arrival: inout Instant,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    while true {
      let firstLine = splitter.nextNumber
      arrival = Self.arrival(after: arrival, now: now())
      let group = nextGroup(&splitter, linesMax, parser, arrival)
      guard !group.isEmpty else { return }
      let answers: [EventAnswer]
      do throws(Problem) {
        answers = try await eventLimiter.submit(
          group, to: intake, for: reporter.caller, from: origin)
      } catch {
        refusals.count(error, of: nil)
        throw EarlyEndError(line: firstLine, error)
      }
      try await writer.write(Self.lines(answers))
    }
  }

  /// Returns the time of arrival, which events without a time get. If the clock is set back a
  /// little, later lines keep the previous time (rule E4). A larger step back corrects a wrong
  /// clock, so the new time counts.
  static func arrival(after previous: Instant, now: Instant) -> Instant {
    previous > now && previous <= now + EventReader.clockAheadMax ? previous : now
  }

  /// - Parameters:
  ///   - linesMax: the maximum number of lines.
  ///   - arrival: the time that events without a time get.
  private func nextGroup(
    _ splitter: inout LineSplitter, _ linesMax: Int, _ parser: JSONParser, _ arrival: Instant
  ) -> EventGroup {
    var group = EventGroup(
      planner: intake.service.planner, reporter: reporter, now: arrival, refusals: refusals,
      mayBeForwarded: intake.forwarding != nil)
    while group.count < linesMax, let line = splitter.next() {
      switch line {
      case .text(let number, let range):
        switch splitter.withBytes(of: range, parser.result) {
        case .success(let value): group.add(value, at: number)
        case .failure(let error): group.add(Problem(inLine: error), at: number)
        }
      case .tooLong(let number):
        group.add(
          Problem(.lineTooLong, "the line is longer than \(limits.body) bytes"), at: number)
      }
    }
    return group
  }

  private static func lines(_ answers: [EventAnswer]) -> ByteBuffer {
    var writer = JSONWriter(reservingCapacity: answers.count * 64)
    for answer in answers {
      EventLinePayload.write(answer, to: &writer)
      writer.endLine()
    }
    return ByteBuffer(bytes: writer.bytes)
  }
}

/// Ends a stream early. The last line of the response gives the number of the first line that was
/// not ingested.
private struct EarlyEndError: Error {
  let lastLine: [UInt8]

  init(line number: Int, _ problem: Problem) {
    var writer = JSONWriter()
    StoppedLinePayload.write(
      StoppedLinePayload.Value(line: number, problem: problem), to: &writer)
    writer.endLine()
    lastLine = writer.bytes
  }
}
