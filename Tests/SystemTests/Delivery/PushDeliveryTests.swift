import Glibc
import JSON
import Testing

/// Pushes over TLS and HTTP/2 to a peer that acts as Apple's and Google's services, and the removal
/// of a device that the peer reports as gone.
@OwnThread
@Suite(
  .enabled(
    if: Project.hasTool(Interpreter.push), "h2 is missing; run `make test`, which fetches it"))
struct PushDeliveryTests {
  private static let lines = "{type: jsonl, file: \"-\"}"

  private let keys: Workspace
  private let peer: ChildProcess
  private let port: Int

  init() throws {
    keys = try Workspace()
    let script = Peer.directory + "Peers/push_keys.sh"
    let keyMaker = try ChildProcess("/bin/sh", ["-c", "cd '\(keys.path)' && exec sh '\(script)'"])
    guard try keyMaker.finish() == .exited(0) else { throw Failure("openssl failed") }
    peer = try ChildProcess(
      Project.tool(Interpreter.push),
      ["-B", Peer.directory + "Peers/push_peer.py", keys.path], isFed: true)
    port = Int(try Self.ask(#"{"do":"open"}"#, peer)["port"]?.integerValue ?? 0)
  }

  private static func ask(_ command: String, _ peer: ChildProcess) throws -> JSONValue {
    try peer.feed(command)
    while true {
      if let line = peer.output.takeLine() { return try JSONParser.parse(Array(line)) }
      guard !peer.output.isAtEnd else { throw Failure("the peer has ended") }
      _ = try Poll.wait(reading: [peer.output.descriptor])
      peer.output.read()
    }
  }

  /// Returns the number of pushes to a device that the peer has received, including those that it
  /// rejected.
  private func pushes(to token: String) throws -> Int {
    let state = try Self.ask(#"{"do":"look","peer":\#(port)}"#, peer)
    return (state["received"]?.arrayValue ?? []).count {
      $0["path"]?.stringValue?.hasSuffix("/" + token) == true
        || $0["body"]?.stringValue?.contains(token) == true
    }
  }

  private func key(_ name: String) throws -> String {
    String(decoding: try Files.read(keys.path + "/" + name), as: UTF8.self)
  }

  private func apns() throws -> DeliveryStage {
    try DeliveryStage(
      [
        "phones": """
        {type: apns, key: {credential: apple}, key-id: KEY1234567, team-id: TEAM123456, \
        topic: com.example.app, endpoint: "https://localhost:\(port)", \
        trust: \(keys.path)/authority.pem}
        """, "lines": Self.lines,
      ], routes: "{push: [phones, lines]}", secrets: ["apple": try key("provider.key")])
  }

  private func fcm() throws -> DeliveryStage {
    let account: JSONValue = [
      "type": "service_account", "project_id": "tests", "private_key_id": "key-1",
      "private_key": .string(try key("account.key")),
      "client_email": "chimed@tests.example", "client_id": "1",
      "token_uri": .string("https://localhost:\(port)/token"),
    ]
    return try DeliveryStage(
      [
        "phones": """
        {type: fcm, account: {credential: google}, endpoint: "https://localhost:\(port)", \
        trust: \(keys.path)/authority.pem}
        """, "lines": Self.lines,
      ], routes: "{push: [phones, lines]}",
      secrets: ["google": String(decoding: JSONWriter.compact(account), as: UTF8.self)])
  }

  @Test func `Apple gets the push, and a device that is gone is removed`() throws {
    try check(
      apns(), platform: "ios", status: "200", rejection: "410 Unregistered",
      answer: #"{"status":410,"body":{"reason":"Unregistered"}}"#)
  }

  @Test func `Google gets the push, and a device that is gone is removed`() throws {
    try check(
      fcm(), platform: "android", status: "200", rejection: "404 UNREGISTERED",
      answer: """
        {"status":404,"body":{"error":{"code":404,"message":"gone","status":"NOT_FOUND",\
        "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError",\
        "errorCode":"UNREGISTERED"}]}}}
        """)
  }

  /// Checks that the first push arrives, that `answer` to the second removes the device, and that
  /// the third is not sent to it.
  ///
  /// - Parameter rejection: how explain shows the attempt that got `answer`.
  private func check(
    _ stage: DeliveryStage, platform: String, status: String, rejection: String, answer: String
  ) throws {
    let token = "abcdef0123456789"
    let service = try stage.start()
    try service.report(
      Report.event(
        "e1", "device.registered",
        #"{"deviceId":"phone","platform":"\#(platform)","token":"\#(token)"}"#),
      Report.note("one"))
    let first = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(first.map(\.attempts) == [["phones: delivered \(status)"]])
    #expect(try pushes(to: token) == 1)
    let exportBefore = try service.ask("GET", "/v1/recipients/r1/export").body
    #expect(Self.tokens(exportBefore) == [.string(token)])

    let script = #"{"do":"script","peer":\#(port),"device":"\#(token)","answers":[\#(answer)]}"#
    _ = try Self.ask(script, peer)
    try service.report(Report.note("two"))
    #expect(try service.deliveries(1).map { $0["title"] } == ["two"])
    let second = try service.deliveries("two") { $0.allSatisfy { $0.isOver } }
    #expect(second.map(\.attempts) == [["phones: rejected \(rejection)", "lines: delivered"]])
    let exportAfter = try service.ask("GET", "/v1/recipients/r1/export").body
    #expect([[.null], []].contains(Self.tokens(exportAfter)))

    try service.report(Report.note("three"))
    #expect(try service.deliveries(1).map { $0["title"] } == ["three"])
    #expect(try pushes(to: token) == 2)
    #expect(try service.stop() == .exited(0))
  }

  private static func tokens(_ export: JSONValue) -> [JSONValue] {
    let devices = export["recipient"]?["devices"] ?? export["devices"]
    return (devices?.arrayValue ?? []).map { $0["token"] ?? .null }
  }
}
