import Glibc
import JSON
import Testing

/// The format of the log of a service that does not log to the journal.
@OwnThread @Suite struct LogFormatTests {
  @Test func `S11: CHIMED_LOG=json writes the log to standard output as JSON`() throws {
    let workspace = try Workspace()
    let service = try Service(
      workspace, arguments: Service.arguments(workspace, sink: .file),
      environment: ["CHIMED_LOG": "json"])
    var entries: [JSONValue] = []
    func read() throws {
      try service.readOutput()
      entries += try service.process.output.takeLines().map { try JSONParser.parse(Array($0)) }
    }
    while !entries.contains(where: { $0["message"]?.stringValue?.hasPrefix("serving on ") == true })
    {
      try #require(!service.hasEnded, "\(service.log)")
      try read()
    }
    service.process.send(SIGTERM)
    while !service.hasEnded { try read() }
    #expect(try service.process.finish() == .exited(0))
    #expect(entries.last?["message"] == "stopped; all decisions are on disk")
    for entry in entries {
      #expect(entry["time"]?.stringValue?.hasSuffix("Z") == true)
      #expect(entry["level"]?.stringValue != nil)
    }
    #expect(service.log == "")
  }

  @Test func `S11: another value of CHIMED_LOG is refused`() throws {
    let workspace = try Workspace()
    let service = try Service(
      workspace, arguments: Service.arguments(workspace), environment: ["CHIMED_LOG": "xml"])
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(64))
    #expect(service.log.contains(#"CHIMED_LOG is "xml"; it must be json, or unset."#))
  }
}
