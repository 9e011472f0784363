import Logging
import Systemd
import Testing

@Suite struct JournalLogHandlerTests {
  private struct Refusal: Error, CustomStringConvertible {
    let description = "refused"
  }

  private func line(_ handler: JournalLogHandler, _ log: Pipe, _ event: LogEvent) -> [String] {
    handler.log(event: event)
    return log.lines().map(withoutTimestamp)
  }

  private func event(
    _ level: Logger.Level = .warning, error: (any Error)? = nil, metadata: Logger.Metadata? = nil
  ) -> LogEvent {
    LogEvent(
      level: level, message: "slow", error: error, metadata: metadata, source: "NIO",
      file: "Loop.swift", function: "run()", line: 7)
  }

  @Test func `metadata becomes fields`() throws {
    let log = try Pipe()
    let handler = JournalLogHandler(label: "nio", journal: log.journal)
    let event = event(error: Refusal(), metadata: ["event-loop": "el 1", "count": "\(3)"])
    #expect(
      line(handler, log, event)
        == ["warning: slow LOGGER=nio ERROR=refused COUNT=3 EVENT_LOOP=\"el 1\""])
  }

  @Test func `metadata that is set nearer to the call takes precedence`() throws {
    let log = try Pipe()
    var handler = JournalLogHandler(label: "nio", journal: log.journal)
    handler.metadata = ["a": "handler", "b": "handler", "c": "handler"]
    handler.metadataProvider = Logger.MetadataProvider { ["b": "provider", "c": "provider"] }
    handler[metadataKey: "d"] = "set"
    #expect(
      line(handler, log, event(metadata: ["c": "event"]))
        == ["warning: slow LOGGER=nio A=handler B=provider C=event D=set"])
  }

  @Test(arguments: [
    (Logger.Level.trace, "debug"), (.debug, "debug"), (.info, "informational"),
    (.notice, "notice"), (.warning, "warning"), (.error, "error"), (.critical, "critical"),
  ])
  func `every log level has a journal priority`(level: Logger.Level, priority: String) throws {
    let log = try Pipe()
    let handler = JournalLogHandler(label: "nio", journal: log.journal)
    #expect(line(handler, log, event(level)) == ["\(priority): slow LOGGER=nio"])
  }

  @Test func `a copy of a logger has its own level and metadata`() throws {
    let log = try Pipe()
    var first = Logger(label: "x") { JournalLogHandler(label: $0, journal: log.journal) }
    var second = first
    first[metadataKey: "only"] = "first"
    second.logLevel = .error
    first.notice("seen")
    first.info("below the default level")
    second.warning("below its own level")
    second.error("seen")
    #expect(
      log.lines().map(withoutTimestamp)
        == ["notice: seen LOGGER=x ONLY=first", "error: seen LOGGER=x"])
  }
}
