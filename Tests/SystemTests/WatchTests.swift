import Glibc
import JSON
import Testing

/// `chimectl watch` at a terminal.
@OwnThread @Suite struct WatchTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func service() throws -> Service {
    let service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
    return service
  }

  /// Makes the service notify a recipient at once.
  private func notify(_ title: String, _ service: Service) throws {
    let reply = try service.ask(
      "POST", "/v1/events",
      """
      {"specversion":"1.0","id":"\(title)","source":"tests","type":"notification.requested",\
      "subject":"r1","data":{"category":"CHECKIN","title":"\(title)","body":"B"}}
      """)
    #expect(reply.status == 202)
  }

  /// Returns the titles of the next `count` notifications, or fewer if the output ends.
  private func titles(_ watch: ChildProcess, _ count: Int) throws -> [String?] {
    var titles: [String?] = []
    while titles.count < count, !watch.output.isAtEnd {
      _ = try Poll.wait(reading: [watch.output.descriptor])
      watch.output.read()
      titles += try watch.output.takeLines().map {
        try JSONParser.parse(Array($0))["title"]?.stringValue
      }
    }
    return titles
  }

  @Test func `watch continues after a kill of the service until interrupted`() throws {
    let first = try service()
    try notify("one", first)
    let path = "/v1/recipients/r1/notifications?outcome=any"
    let notifications = try first.ask("GET", path).body["notifications"]
    let id = try #require(notifications?.arrayValue?.first?["id"]?.stringValue)
    let watch = try ChildProcess(
      Chimectl.program,
      ["watch", "r1", "--json", "--after", id, "--socket", workspace.socket])
    try notify("two", first)
    #expect(try titles(watch, 1) == ["two"])
    try notify("three", first)
    #expect(try titles(watch, 1) == ["three"])
    first.process.send(SIGKILL)
    _ = try first.process.finish()

    let second = try service()
    try notify("four", second)
    #expect(try titles(watch, 1) == ["four"])
    watch.send(SIGINT)
    #expect(try watch.finish() == .exited(0))
    #expect(watch.output.take() == [])
    let errors = String(decoding: watch.errors.take(), as: UTF8.self)
    #expect(errors == "The service is unreachable; waiting for it.\n")
    #expect(try second.stop() == .exited(0))
  }

  @Test func `an unknown recipient ends watch with the service's reason`() throws {
    let service = try service()
    let watch = try ChildProcess(
      Chimectl.program, ["watch", "nobody", "--socket", workspace.socket])
    #expect(try watch.finish() == .exited(66))
    let errors = String(decoding: watch.errors.take(), as: UTF8.self)
    #expect(errors.hasPrefix("error: the recipient \"nobody\" is unknown"))
    #expect(try service.stop() == .exited(0))
  }
}
