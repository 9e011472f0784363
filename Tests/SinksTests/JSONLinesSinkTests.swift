import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import TestSupport
import Testing

/// The sink that writes lines of JSON.
@Suite struct JSONLinesSinkTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/out.jsonl"
  }

  private func lines() throws -> [JSONValue] {
    let text = try directory.text(of: "out.jsonl")
    try #require(text.hasSuffix("\n"))
    return try text.split(separator: "\n").map { try JSONParser().parse(String($0)) }
  }

  @Test func `a delivery is one line`() async throws {
    let sink = try JSONLinesSink(path: path)
    let answers = try await sink.deliver([
      Fixtures.delivery(7, .email, title: "Day \"1\"", body: "a\nb"), Fixtures.delivery(8),
    ])
    #expect(answers == [.delivered, .delivered])
    #expect(sink.name == "jsonl")
    let expected: JSONValue = [
      "id": "store-7", "recipient": "amina", "reminder": "note", "category": "NOTE",
      "channel": "email", "title": "Day \"1\"", "body": "a\nb",
      "planned": "2026-03-02T11:59:59.000Z", "at": "2026-03-02T12:00:00.000Z",
    ]
    #expect(try lines().first == expected)
    #expect(try lines().map { $0["id"] } == ["store-7", "store-8"])
  }

  @Test func `existing lines stay`() async throws {
    for number: Int64 in 1...3 {
      _ = try await JSONLinesSink(path: path).deliver([Fixtures.delivery(number)])
    }
    #expect(try lines().map { $0["id"] } == ["store-1", "store-2", "store-3"])
  }

  @Test func `only the owner may read the file`() throws {
    _ = try JSONLinesSink(path: path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: ["{\"id\":\"store-1\",\"rec", "{\"id\":\"store-1\"}\n{", "x"])
  func `a line that a crash has cut off is ended by a line break`(content: String) async throws {
    try directory.write(content, to: "out.jsonl")
    _ = try await JSONLinesSink(path: path).deliver([Fixtures.delivery(2)])
    let text = try directory.text(of: "out.jsonl")
    #expect(text.hasPrefix(content + "\n{\"id\":\"store-2\","))
    #expect(text.split(separator: "\n").last?.hasSuffix("}") == true)
  }

  @Test(arguments: ["", "{}\n"])
  func `a complete file gets no empty line`(content: String) async throws {
    try directory.write(content, to: "out.jsonl")
    _ = try await JSONLinesSink(path: path).deliver([Fixtures.delivery(2)])
    #expect(try directory.text(of: "out.jsonl").hasPrefix(content + "{\"id\":\"store-2\","))
  }

  @Test func `a full device is an outage`() async throws {
    let sink = try JSONLinesSink(path: "/dev/full")
    for _ in 0..<2 {
      let outage = await #expect(throws: SinkOutage.self) {
        try await sink.deliver([Fixtures.delivery(1)])
      }
      #expect(outage?.description == "writing failed: No space left on device")
    }
  }

  @Test func `an invalid path is reported`() {
    let outage = #expect(throws: SinkOutage.self) { try JSONLinesSink(path: "/nowhere/file") }
    #expect(outage?.description == "/nowhere/file cannot be opened: No such file or directory")
  }

  /// Runs in its own process, because it limits the size of the process's files.
  @Test func `a partial line is removed and written again later`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      let sink = try JSONLinesSink(path: path)
      let batch = Fixtures.deliveries(1...20)
      try Self.limitFiles(to: 1_000)
      await #expect(throws: SinkOutage.self) { try await sink.deliver(batch) }
      await #expect(throws: SinkOutage.self) { try await sink.deliver(batch) }
      try Self.limitFiles(to: 1_000_000)
      _ = try await sink.deliver(batch)
    }
    let lines = try directory.text(of: "out.jsonl").split(separator: "\n")
    let ids = lines.map { try? JSONParser().parse(String($0))["id"] }
    #expect(ids == (1...20).map { .string("store-\($0)") })
  }

  /// Limits the size of its process's files, so that the first line break cannot be written.
  @Test func `a cut-off line is ended before the next one although the disk was full`() async throws
  {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let sink = try await Self.sinkAfterFullDisk(at: path, rotation: nil)
      #expect(try await sink.deliver([Fixtures.delivery(2)]) == [.delivered])
    }
    let lines = try directory.text(of: "out.jsonl").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines[0] == Self.cutLine && lines[2] == "")
    #expect(lines[1].hasPrefix("{\"id\":\"store-2\"") && lines[1].hasSuffix("}"))
  }

  @Test func `a cut-off line is ended in its own file before a rotation`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let rotation = JSONLinesSink.Rotation(size: 1_100)
      let sink = try await Self.sinkAfterFullDisk(at: path, rotation: rotation)
      #expect(try await sink.deliver([Fixtures.delivery(2)]) == [.delivered])
    }
    #expect(try directory.text(of: "out.jsonl.1") == Self.cutLine + "\n")
    let text = try directory.text(of: "out.jsonl")
    #expect(text.hasPrefix("{\"id\":\"store-2\"") && text.hasSuffix("}\n"))
    #expect(text.count { $0 == "\n" } == 1)
  }

  private static let cutLine = String(repeating: "x", count: 1_000)

  /// Returns a sink whose file ends with a cut-off line, after a delivery for which the disk had no
  /// space.
  private static func sinkAfterFullDisk(
    at path: String, rotation: JSONLinesSink.Rotation?
  ) async throws -> JSONLinesSink {
    signal(SIGXFSZ, SIG_IGN)
    try cutLine.write(toFile: path, atomically: false, encoding: .utf8)
    try limitFiles(to: UInt(cutLine.utf8.count))
    let sink = try JSONLinesSink(path: path, rotation: rotation)
    await #expect(throws: SinkOutage.self) { try await sink.deliver([Fixtures.delivery(1)]) }
    try limitFiles(to: 1_000_000)
    return sink
  }

  @Test func `a pipe without a reader is an outage until there is one`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      let output = dup(STDOUT_FILENO)
      dup2(ends[1], STDOUT_FILENO)
      close(ends[0])
      let sink = try JSONLinesSink(path: "-")
      let outage = await #expect(throws: SinkOutage.self) {
        try await sink.deliver([Fixtures.delivery(1)])
      }
      #expect(outage?.description == "writing failed: the pipe has no reader")
      dup2(open(path, O_WRONLY | O_CREAT, 0o600), STDOUT_FILENO)
      _ = try await sink.deliver([Fixtures.delivery(1)])
      dup2(output, STDOUT_FILENO)
    }
    #expect(try lines().map { $0["id"] } == ["store-1"])
  }

  /// Bytes in a named pipe without a reader would be lost when the service ends.
  @Test func `a named pipe is not written without a reader`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGPIPE, SIG_IGN)
      try #require(mkfifo(path, 0o600) == 0)
      let sink = try JSONLinesSink(path: path)
      let outage = await #expect(throws: SinkOutage.self) {
        try await sink.deliver([Fixtures.delivery(1)])
      }
      #expect(outage?.description == "writing failed: the pipe has no reader")
      let reader = FileHandle(
        fileDescriptor: open(path, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
      #expect(try await sink.deliver([Fixtures.delivery(1)]) == [.delivered])
      let text = String(decoding: reader.availableData, as: UTF8.self)
      #expect(text.hasPrefix("{\"id\":\"store-1\",") && text.hasSuffix("}\n"))
      try sink.prepareForReload()
      #expect(try await sink.deliver([Fixtures.delivery(2)]) == [.delivered])
      #expect(String(decoding: reader.availableData, as: UTF8.self).contains("store-2"))
    }
  }

  private static func limitFiles(to bytes: UInt) throws {
    var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  }
}
