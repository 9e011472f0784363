import CivilTime
internal import Glibc
import JSON
package import Outbox
package import Reminders
import Synchronization
package import Systemd

/// Writes each delivery as one line of JSON to a file or to standard output.
///
/// A file is synced before the deliveries count as handed over. What a full disk kept from being
/// written whole is taken back; a line that a crash cut off is ended before the next one, so that
/// no line holds two.
package final class JSONLinesSink: AnalyticsSink {
  /// When a file is full, and how many full ones are kept.
  package struct Rotation: Hashable, Sendable {
    /// In bytes; a file is only larger where a single batch is.
    package let size: Int64
    /// At least 1.
    package let keep: Int

    package init(size: Int64, keep: Int = 5) {
      self.size = size
      self.keep = keep
    }
  }

  private struct Output {
    /// Nil for standard output.
    let file: LineFile?
    var writer = JSONWriter(reservingCapacity: 1 << 20)
    /// Whether the last line that was written is not complete.
    var isTorn = false
    /// Whether it has been told that the file cannot be rotated.
    var isStuck = false
  }

  package let name: String
  package let type = JSONLinesConfiguration.type
  package let window: Int
  private let rotation: Rotation?
  private let journal: Journal?
  private let output: Mutex<Output>
  /// What a reload has opened while a batch was written, for the next one: a reload waits for no
  /// batch, as whoever reads may have stopped reading.
  private let opened = Mutex<LineFile.Opened?>(nil)
  private let path: String

  /// - Parameters:
  ///   - path: "-" is standard output.
  ///   - journal: is told when a file that is full has to be written to all the same.
  package init(
    name: String = "jsonl", path: String, rotation: Rotation? = nil, journal: Journal? = nil
  ) throws(SinkOutage) {
    self.name = name
    self.path = path
    self.rotation = rotation
    self.journal = journal
    // A file is to be as large as it is said: batches are small beside it.
    window = rotation.map { Int(min(32_768, max(64, $0.size / 4_096))) } ?? 32_768
    output = Mutex(Output(file: path == "-" ? nil : try LineFile(path)))
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    try append(deliveries)
  }

  package func take(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    try append(events)
  }

  private func append(_ documents: [some Document]) throws(SinkOutage) -> [SinkAnswer] {
    guard !documents.isEmpty else { return [] }
    try output.withLock { output throws(SinkOutage) in
      output.writer.removeAll()
      goOn(&output)
      if output.isTorn { output.writer.endLine() }
      for document in documents { document.writeLine(to: &output.writer) }
      rotate(&output)
      try write(&output)
    }
    return Array(repeating: .delivered, count: documents.count)
  }

  private func write(_ output: inout Output) throws(SinkOutage) {
    if let file = output.file {
      return try file.append(output.writer.bytes, isTorn: &output.isTorn)
    }
    var written = 0
    defer {
      output.isTorn = LineWriting.isTorn(output.writer.bytes, written, output.isTorn)
    }
    try LineWriting.write(output.writer.bytes, to: STDOUT_FILENO, written: &written)
    try syncStandardOutput()
  }

  private func syncStandardOutput() throws(SinkOutage) {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    if fdatasync(STDOUT_FILENO) != 0 {
      throw SinkOutage("syncing failed: \(String(cString: strerror(errno)))")
    }
  }

  /// A file that cannot be rotated is written to beyond its size: better than not at all.
  private func rotate(_ output: inout Output) {
    guard let rotation, let file = output.file, file.size > 0,
      Int64(file.size + output.writer.bytes.count) > rotation.size
    else { return }
    do throws(SinkOutage) {
      try file.rotate(keep: rotation.keep)
      output.isStuck = false
    } catch {
      if !output.isStuck {
        journal?.send(
          message: "the sink \(name): \(file.path) is full and stays in use: \(error)",
          priority: .warning, fields: [(.sink, name), (.reason, error.description)])
      }
      output.isStuck = true
    }
  }

  /// The path may be another file by now: whoever has moved the present one wants a new one.
  package func reload() throws {
    guard path != "-" else { return }
    let new = try LineFile.open(path)
    opened.withLock { $0 = new }
    output.withLockIfAvailable { goOn(&$0) }
  }

  /// Lets go of what is open, where a reload has opened something since.
  private func goOn(_ output: inout Output) {
    let next = opened.withLock { opened in
      defer { opened = nil }
      return opened
    }
    if let next { output.file?.goOn(in: next) }
  }
}

/// `type: jsonl`: deliveries are lines of JSON in a file or on standard output.
package struct JSONLinesConfiguration: SinkConfiguration {
  package static let type = "jsonl"
  package static let takesAnalytics = true
  package static let waitsForOthers = false
  package static let takesConcurrency = false
  package static let keys = ["file", "rotate", "keep"]
  package static let requiredKeys = ["file"]

  /// "-" is standard output.
  package let file: String
  package let rotation: JSONLinesSink.Rotation?

  package init(file: String) {
    self.file = file
    rotation = nil
  }

  package init?(reading settings: inout SinkSettings) {
    guard let file = settings.text("file") else { return nil }
    self.file = file
    let size = settings.bytes("rotate", in: 10_000...1_000_000_000_000)
    let keep = settings.number("keep", in: 1...1_000)
    rotation = size.map { JSONLinesSink.Rotation(size: $0, keep: Int(keep ?? 5)) }
    if file == "-", settings.has("rotate") {
      settings.refuse("rotate", "is for a file; standard output has no size")
    }
    if settings.has("keep"), !settings.has("rotate") {
      settings.refuse("keep", "is for files that are rotated: say rotate, such as 100MB")
    }
  }

  package func check(credentials: Credentials) throws {
    if file != "-" { try WritableFile.check(file) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    try JSONLinesSink(
      name: common.name, path: file, rotation: rotation, journal: surroundings.journal)
  }
}
