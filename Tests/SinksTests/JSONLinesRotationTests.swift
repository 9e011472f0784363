import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import TestSupport
import Testing

/// Files of JSON lines that are full, or that another program has moved.
@Suite struct JSONLinesRotationTests {
  let directory: TemporaryDirectory
  let journal: CapturedJournal

  init() throws {
    directory = try TemporaryDirectory()
    journal = try CapturedJournal(in: directory)
  }

  private func sink(
    in folder: String = "logs", size: Int64? = 2_000, keep: Int = 3
  ) throws -> JSONLinesSink {
    let path = directory.path + "/" + folder
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try JSONLinesSink(
      path: path + "/out", rotation: size.map { JSONLinesSink.Rotation(size: $0, keep: keep) },
      journal: journal.journal)
  }

  /// Returns the numbers of the deliveries in a file; nil if the file does not exist. Every line
  /// must be complete.
  private func numbers(in file: String) throws -> [Int]? {
    guard let text = try? directory.text(of: file) else { return nil }
    return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
      let identifier = try JSONParser.parse(String($0))["id"]?.stringValue
      return try #require(identifier.flatMap { Int($0.dropFirst("store-".count)) })
    }
  }

  private func files(in folder: String = "logs") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path + "/" + folder).sorted()
  }

  private func deliver(_ numbers: ClosedRange<Int64>, to sink: JSONLinesSink) async throws {
    for number in numbers {
      let answers = try await sink.deliver([Fixtures.delivery(number)])
      #expect(answers == [.delivered])
    }
  }

  @Test func `a full file is rotated and the oldest removed`() async throws {
    let sink = try sink()
    try await deliver(1...60, to: sink)
    #expect(try files() == ["out", "out.1", "out.2", "out.3"])
    var found: [Int] = []
    for name in ["out.3", "out.2", "out.1", "out"] {
      let size = try directory.text(of: "logs/" + name).utf8.count
      #expect(size <= 2_000 && (name == "out" || size > 1_700))
      found += try #require(try numbers(in: "logs/" + name))
    }
    #expect(found == Array((61 - found.count)...60))
    #expect(try journal.text() == "")
  }

  @Test func `nothing is lost while all files are kept`() async throws {
    let sink = try sink(keep: 100)
    for batch: ClosedRange<Int64> in [1...3, 4...40, 41...41, 42...60] {
      _ = try await sink.deliver(Fixtures.deliveries(batch))
    }
    let all = try files().flatMap { try numbers(in: "logs/" + $0) ?? [] }
    #expect(all.sorted() == Array(1...60))
  }

  @Test func `a batch that is larger than a file stays together`() async throws {
    let sink = try sink()
    for batch: ClosedRange<Int64> in [1...50, 51...51] {
      _ = try await sink.deliver(Fixtures.deliveries(batch))
    }
    #expect(try numbers(in: "logs/out.1") == Array(1...50))
    #expect(try numbers(in: "logs/out") == [51])
  }

  @Test func `a gap in the numbers is filled first`() async throws {
    let sink = try sink()
    try directory.write("first\n", to: "logs/out.1")
    try directory.write("third\n", to: "logs/out.3")
    try await deliver(1...13, to: sink)
    #expect(try directory.text(of: "logs/out.2") == "first\n")
    #expect(try directory.text(of: "logs/out.3") == "third\n")
  }

  @Test func `a moved directory is followed`() async throws {
    let sink = try sink()
    try await deliver(1...5, to: sink)
    try FileManager.default.moveItem(
      atPath: directory.path + "/logs", toPath: directory.path + "/moved")
    try await deliver(6...20, to: sink)
    #expect(try files(in: "moved").count > 1)
    let all = try files(in: "moved").flatMap { try numbers(in: "moved/" + $0) ?? [] }
    #expect(all.sorted() == Array(1...20))
  }

  @Test func `a reload opens the path again`() async throws {
    let sink = try sink(size: nil)
    try await deliver(1...2, to: sink)
    try FileManager.default.moveItem(
      atPath: directory.path + "/logs/out", toPath: directory.path + "/logs/yesterday")
    try await deliver(3...3, to: sink)
    try sink.prepareForReload()
    // A moved file may be deleted, which frees its space at once.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(!open.contains { $0.hasSuffix(directory.path + "/logs/yesterday") })
    try await deliver(4...4, to: sink)
    #expect(try numbers(in: "logs/yesterday") == [1, 2, 3])
    #expect(try numbers(in: "logs/out") == [4])
  }

  @Test func `a reload does not wait for a pipe's reader`() async throws {
    let path = directory.path + "/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let sink = try JSONLinesSink(path: path)
    let pipe = FileHandle(fileDescriptor: open(path, O_RDWR), closeOnDealloc: true)
    let count = 500
    async let answers = sink.deliver((1...Int64(count)).map { Fixtures.delivery($0) })
    // The sink has begun to write and cannot finish: a pipe holds 65,536 bytes (pipe(7)).
    #expect(try pipe.read(upToCount: 1)?.count == 1)
    #expect(Self.ends { try sink.prepareForReload() })
    var lines = 0
    while lines < count { lines += pipe.availableData.count { $0 == UInt8(ascii: "\n") } }
    #expect(try await answers.count == count)
  }

  @Test func `a file in place of a pipe that broke off begins with a whole line`() async throws {
    await #expect(processExitsWith: .success) { [path = directory.path + "/out" as String] in
      signal(SIGPIPE, SIG_IGN)
      try #require(mkfifo(path, 0o600) == 0)
      let reader = FileHandle(
        fileDescriptor: open(path, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
      try #require(fcntl(reader.fileDescriptor, F_SETFL, 0) == 0)
      let sink = try JSONLinesSink(path: path)
      let delivery = Task { try await sink.deliver(Fixtures.deliveries(1...500)) }
      // The sink has begun to write and cannot finish: a pipe holds 65,536 bytes (pipe(7)).
      #expect(try reader.read(upToCount: 1)?.count == 1)
      try reader.close()
      let result = await delivery.result
      #expect(throws: SinkOutage.self) { try result.get() }
      try FileManager.default.removeItem(atPath: path)
      try sink.prepareForReload()
      #expect(try await sink.deliver([Fixtures.delivery(501)]) == [.delivered])
    }
    let text = try directory.text(of: "out")
    #expect(text.hasPrefix("{\"id\":\"store-501\"") && text.count { $0 == "\n" } == 1)
  }

  @Test func `a reload ends a line that broke off in a pipe before the next one`() async throws {
    await #expect(processExitsWith: .success) { [path = directory.path + "/out" as String] in
      signal(SIGPIPE, SIG_IGN)
      try #require(mkfifo(path, 0o600) == 0)
      let first = open(path, O_RDONLY | O_NONBLOCK)
      let sink = try JSONLinesSink(path: path)
      let delivery = Task { try await sink.deliver(Fixtures.deliveries(1...500)) }
      var descriptor = pollfd(fd: first, events: Int16(POLLIN), revents: 0)
      #expect(poll(&descriptor, 1, 10_000) == 1)
      close(first)
      let result = await delivery.result
      #expect(throws: SinkOutage.self) { try result.get() }
      let second = open(path, O_RDONLY | O_NONBLOCK)
      try #require(!Self.waitingText(in: second).hasSuffix("\n"))
      try sink.prepareForReload()
      #expect(try await sink.deliver([Fixtures.delivery(501)]) == [.delivered])
      #expect(Self.waitingText(in: second).hasPrefix("\n{\"id\":\"store-501\""))
    }
  }

  /// Reads everything that waits in a pipe. Reading the descriptor does not block.
  private static func waitingText(in descriptor: Int32) -> String {
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether `body` ends within ten seconds. The caller does nothing else in that time.
  private static func ends(_ body: @escaping @Sendable () throws -> Void) -> Bool {
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? body()
      hasEnded.signal()
    }
    return hasEnded.wait(timeout: .now() + 10) == .success
  }

  @Test func `a reload that fails leaves the open file in use`() async throws {
    let sink = try sink(size: nil)
    try FileManager.default.moveItem(
      atPath: directory.path + "/logs", toPath: directory.path + "/moved")
    let outage = #expect(throws: SinkOutage.self) { try sink.prepareForReload() }
    #expect(outage?.description.contains("/logs/out cannot be opened: No such file") == true)
    try await deliver(1...1, to: sink)
    #expect(try numbers(in: "moved/out") == [1])
  }

  @Test func `a deleted file is created again before anything is lost`() async throws {
    let sink = try sink(size: nil)
    try await deliver(1...1, to: sink)
    try FileManager.default.removeItem(atPath: directory.path + "/logs/out")
    try await deliver(2...2, to: sink)
    #expect(try numbers(in: "logs/out") == [2])
    try FileManager.default.removeItem(atPath: directory.path + "/logs")
    await #expect(throws: SinkOutage.self) { try await sink.deliver([Fixtures.delivery(3)]) }
    try FileManager.default.createDirectory(
      atPath: directory.path + "/logs", withIntermediateDirectories: false)
    try await deliver(3...3, to: sink)
    #expect(try numbers(in: "logs/out") == [3])
  }

  /// An administrator may replace a file by a pipe without a reload.
  @Test func `a pipe in place of a full file is not written without a reader`() async throws {
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      signal(SIGPIPE, SIG_IGN)
      let sink = try JSONLinesSink(
        path: path + "/out", rotation: JSONLinesSink.Rotation(size: 100))
      _ = try await sink.deliver([Fixtures.delivery(1)])
      try FileManager.default.moveItem(atPath: path + "/out", toPath: path + "/yesterday")
      try #require(mkfifo(path + "/out", 0o600) == 0)
      let outage = await #expect(throws: SinkOutage.self) {
        try await sink.deliver([Fixtures.delivery(2)])
      }
      #expect(outage?.description == "writing failed: the pipe has no reader")
      let reader = FileHandle(
        fileDescriptor: open(path + "/out", O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
      #expect(try await sink.deliver([Fixtures.delivery(2)]) == [.delivered])
      #expect(String(decoding: reader.availableData, as: UTF8.self).contains("store-2"))
    }
    #expect(try numbers(in: "yesterday") == [1])
  }

  @Test func `a file that cannot be rotated stays in use and is reported once`() async throws {
    let sink = try sink(keep: 1)
    try FileManager.default.createDirectory(
      atPath: directory.path + "/logs/out.1/full", withIntermediateDirectories: true)
    try await deliver(1...30, to: sink)
    #expect(try numbers(in: "logs/out") == Array(1...30))
    let entries = try journal.entries()
    #expect(entries.count == 1)
    #expect(entries.first?.contains("is full and stays in use: out cannot be renamed") == true)
  }
}
