import Glibc
import JSON
import Testing

/// `chimectl status` and `top` on a terminal and without one.
@OwnThread @Suite struct TopTests {
  private let workspace: Workspace
  private let service: Service

  init() throws {
    workspace = try Workspace()
    service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
  }

  private func start(
    _ arguments: [String], on terminal: Terminal? = nil, _ environment: [String: String] = [:]
  ) throws -> ChildProcess {
    try ChildProcess(
      Chimectl.program, arguments + ["--socket", workspace.socket], environment: environment,
      on: terminal)
  }

  @Test func `an interrupted top restores the terminal`() throws {
    let terminal = try Terminal(columns: 60, lines: 10)
    let initialModes = terminal.modes
    let top = try start(["top", "--interval", "0.1"], on: terminal, ["TERM": "xterm"])
    // Switches to the alternate screen and hides the cursor.
    let firstBytes = "\u{1b}[?1049h\u{1b}[?25l"
    // Only the second frame has rates.
    while !String(decoding: top.output.bytes, as: UTF8.self).contains("deliveries 0.0/s") {
      _ = try Poll.wait(reading: [top.output.descriptor])
      top.output.read()
      try #require(!top.output.isAtEnd, "\(String(decoding: top.errors.take(), as: UTF8.self))")
    }
    #expect(terminal.modes == initialModes)
    top.send(SIGINT)
    let result = try Chimectl.finish(top)
    #expect(result.ending == .exited(0) && result.errors == "")
    // The title is green, or yellow if the machine's time zones or holidays are out of date.
    let titles = ["32", "33"].map { firstBytes + "\u{1b}[H\u{1b}[\($0)mchimed " }
    #expect(titles.contains { result.output.hasPrefix($0) })
    #expect(result.output.hasSuffix("\u{1b}[?25h\u{1b}[?1049l"))
    #expect(try service.stop() == .exited(0))
  }

  @Test func `q quits and restores the terminal`() throws {
    let peer = try ChildProcess(
      "/usr/bin/python3",
      [
        "-B", Project.root + "/Tests/SystemTests/Peers/terminal_peer.py", "xq", "deliveries 0.0/s",
        Chimectl.program, "top", "--interval", "0.1", "--socket", workspace.socket,
      ])
    let result = try Chimectl.finish(peer)
    let report = try JSONParser.parse(result.output)
    #expect(report["ended"] == 0, "\(result)")
    #expect(report["restored"] == true)
    #expect(report["tail"]?.stringValue?.hasSuffix("\u{1b}[?25h\u{1b}[?1049l") == true)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `a dumb terminal gets lines`() throws {
    let terminal = try Terminal(columns: 60, lines: 10)
    let arguments = ["top", "--interval", "0.1", "--count", "1"]
    let result = try Chimectl.finish(start(arguments, on: terminal, ["TERM": "dumb"]))
    #expect(result.ending == .exited(0))
    #expect(result.output.hasPrefix("TIME ") && !result.output.contains("\u{1b}"))
    #expect(try service.stop() == .exited(0))
  }

  @Test func `without a terminal each sample is one line`() throws {
    let plain = try Chimectl.finish(
      start(["top", "--interval", "0.1", "--count", "3"], ["TERM": "xterm"]))
    #expect(plain.ending == .exited(0) && !plain.output.contains("\u{1b}"))
    #expect(plain.output.split(separator: "\n").count == 4)
    let json = try Chimectl.finish(
      start(["top", "--interval", "0.1", "--count", "3", "--json"]))
    let samples = try json.output.split(separator: "\n").map { try JSONParser.parse(String($0)) }
    #expect(samples.count == 3)
    #expect(samples.allSatisfy { $0["deliveriesPerSecond"]?.numberValue == 0 })
    #expect(samples.allSatisfy { ($0["seconds"]?.numberValue ?? 0) > 0 })
    #expect(try service.stop() == .exited(0))
  }

  @Test func `top continues after a restart of the service`() throws {
    let top = try start(["top", "--interval", "0.1", "--json"])
    func wait(for text: String, from inlet: Inlet) throws {
      while !String(decoding: inlet.bytes, as: UTF8.self).contains(text), !inlet.isAtEnd {
        _ = try Poll.wait(reading: [inlet.descriptor])
        inlet.read()
      }
    }
    try wait(for: "pending", from: top.output)
    #expect(try service.stop() == .exited(0))
    try wait(for: "waiting for it", from: top.errors)
    _ = top.output.take()
    let second = try Service(workspace, sink: .file)
    try second.waitUntilReady()
    try wait(for: "pending", from: top.output)
    top.send(SIGINT)
    let result = try Chimectl.finish(top)
    #expect(result.ending == .exited(0))
    #expect(result.errors == "The service is unreachable; waiting for it.\n")
    #expect(try second.stop() == .exited(0))
  }

  /// The possible headlines of a healthy service. The second one appears if the machine's tz
  /// database or holidays are out of date.
  private static let headlines = [
    "healthy, running for",
    "healthy, but needs attention: the data of holidays or time zones is outdated or ends soon",
  ]

  @Test func `colours are used only on terminals that support them`() throws {
    let environments: [([String: String], Bool)] = [
      (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false),
      (["TERM": "dumb"], false),
    ]
    for (environment, hasColour) in environments {
      let terminal = try Terminal(columns: 60, lines: 10)
      let result = try Chimectl.finish(start(["status", "--lanes"], on: terminal, environment))
      #expect(Self.headlines.contains { result.output.contains($0) })
      #expect(result.output.contains("\u{1b}") == hasColour)
    }
    let withoutTerminal = try Chimectl.finish(start(["status"], ["TERM": "xterm"]))
    #expect(Self.headlines.contains { withoutTerminal.output.hasPrefix($0) })
    #expect(!withoutTerminal.output.contains("\u{1b}"))
    #expect(try service.stop() == .exited(0))
  }
}
