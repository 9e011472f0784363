import Glibc
import JSON
import Testing

/// Tests deliveries from end to end. The service accepts an event, and sends its delivery through
/// one kind of sink to a peer that speaks the sink's protocol.
@OwnThread @Suite struct SinkDeliveryTests {
  @Test(
    .enabled(
      if: HookPeer.isAvailable, "standardwebhooks is missing; run `make test`, which fetches it"))
  func `a webhook is accepted by a receiver that verifies signatures`() throws {
    let hook = try HookPeer()
    let stage = try DeliveryStage(
      ["hook": hook.sink], routes: "{push: hook}", secrets: HookPeer.secrets)
    let service = try stage.start()
    try service.report(Report.note("Prüfung"))
    let request = try hook.peer.next()
    #expect(request["acted"] == true)
    #expect(
      request["event"]?["subject"] == "r1" && request["event"]?["data"]?["title"] == "Prüfung")
    let explained = try service.deliveries("r") { $0.allSatisfy { $0.isOver } }
    #expect(explained.map(\.description) == ["push by hook: accepted"])
    #expect(explained.first?.attempts == ["hook: delivered 204"])
    #expect(try service.stop() == .exited(0))
    #expect(!service.log.contains(HookPeer.secret))
  }

  @Test func `ntfy gets each recipient's message`() throws {
    let peer = try Peer(
      Peer.directory + "Peers/ntfy_peer.py", ["/dev/stdout", "0", "tk_secret"])
    let stage = try DeliveryStage(
      [
        "ntfy": """
        {type: ntfy, topic: "chimed-{recipient}", server: "http://127.0.0.1:\(peer.port)", \
        token: {credential: ntfy}, allow: 127.0.0.0/8}
        """
      ], routes: "{push: ntfy}", secrets: ["ntfy": "tk_secret"])
    let service = try stage.start()
    try service.report(Report.note("one"))
    let message = try peer.next()
    #expect(message["topic"] == "chimed-r1" && message["title"] == "one")
    let explained = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(explained.first?.attempts == ["ntfy: delivered 200"])
    #expect(try service.stop() == .exited(0))
  }

  /// The program is the example `mailbox.sh` of chimed-delivery(7).
  @Test func `a program is started for each delivery`() throws {
    let stage = try DeliveryStage(
      ["box": "{type: exec, command: [/bin/sh, \(Self.example("mailbox.sh")), \(Self.box)]}"],
      routes: "{push: box}")
    let box = Self.box
    _ = try Failure.check("mkdir", mkdir(box, 0o700))
    defer {
      for name in Files.names(in: box) { unlink(box + "/" + name) }
      rmdir(box)
    }
    let service = try stage.start()
    try service.report(Report.note("one"))
    let explained = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(explained.first?.attempts == ["box: delivered exit 0"])
    let names = Files.names(in: box)
    let delivery = try JSONParser.parse(try Files.read(box + "/" + (names.first ?? "")))
    #expect(names == [(delivery["id"]?.stringValue ?? "") + "-push.json"])
    #expect(delivery["title"] == "one")
    #expect(try service.stop() == .exited(0))
  }

  @Test func `a running program answers each delivery`() throws {
    let diary = Self.box + "-diary"
    defer { unlink(diary) }
    let stage = try DeliveryStage(
      ["diary": "{type: pipe, command: [/usr/bin/python3, \(Self.example("diary.py")), \(diary)]}"],
      routes: "{push: diary, email: diary}")
    let service = try stage.start()
    try service.report(Report.note("one"), Report.note("two", by: #""email""#))
    for title in ["one", "two"] {
      let explained = try service.deliveries(title) { $0.allSatisfy { $0.isOver } }
      #expect(explained.first?.attempts == ["diary: delivered delivered"])
    }
    let lines = String(decoding: try Files.read(diary), as: UTF8.self).split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: " ").dropFirst() } == [["r1:", "one"], ["r1:", "two"]])
    #expect(try service.stop() == .exited(0))
  }

  @Test func `a listener of the stream gets the delivery`() throws {
    let stage = try DeliveryStage(["live": "{type: stream}"], routes: "{push: live}")
    let service = try stage.start()
    try service.report(Report.note("one"))
    _ = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    let curl = try ChildProcess(
      "/usr/bin/env",
      [
        "curl", "--silent", "--no-buffer", "--unix-socket", stage.workspace.socket,
        "http://chimed/v1/recipients/r1/stream",
      ])
    var text = ""
    func read(until end: String) throws {
      while !text.contains(end), !curl.output.isAtEnd {
        _ = try Poll.wait(reading: [curl.output.descriptor])
        curl.output.read()
        text += String(decoding: curl.output.take(), as: UTF8.self)
      }
    }
    try read(until: "\n\n")
    try service.report(Report.note("two"))
    try read(until: "\"title\":\"two\"")
    #expect(text.contains("event: notification\ndata: {") && !text.contains("\"one\""))
    #expect(try service.stop() == .exited(0))
    try read(until: "event: end")
    #expect(text.contains("event: end\ndata: {\"reason\":\"stopping\"}"))
  }

  private static let box = "/tmp/chimed-box-\(getpid())"

  private static func example(_ name: String) -> String {
    Project.root + "/config/examples/" + name
  }
}
