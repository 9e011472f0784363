import CivilTime
internal import Glibc
import JSON
package import Outbox
package import Reminders
import Synchronization
package import Systemd

/// Writes each delivery as one line of JSON to a file or to standard output.
///
/// A file is synced before deliveries count as sent. If the disk becomes full during a write, the
/// written lines are removed again. A line that a crash cut off is ended before the next line, so
/// that no line contains two deliveries.
package final class JSONLinesSink: AnalyticsSink {
  /// The size at which a file is rotated, and how many rotated files are kept.
  package struct Rotation: Hashable, Sendable {
    /// The size in bytes. A file becomes larger only if a single batch is larger, or if the file
    /// cannot be rotated.
    package let size: Int64
    /// The number of rotated files, at least 1.
    package let keep: Int

    package init(size: Int64, keep: Int = 5) {
      self.size = size
      self.keep = keep
    }
  }

  private struct Output {
    /// The open file; nil for standard output.
    let file: LineFile?
    var writer = JSONWriter(reservingCapacity: 1 << 20)
    /// Whether the last line that was written to standard output is incomplete.
    var isTorn = false
    /// Whether rotation has failed and the failure has been logged.
    var isRotationFailing = false
  }

  package let name: String
  package let type = JSONLinesConfiguration.type
  package let window: Int
  private let rotation: Rotation?
  private let journal: Journal?
  private let output: Mutex<Output>
  /// A file that a reload opened while a batch was being written, for the next batch. A reload
  /// never waits for a batch, because the reader of a pipe may have stopped reading.
  private let reopenedFile = Mutex<LineFile.OpenFile?>(nil)
  private let path: String

  /// - Parameters:
  ///   - path: "-" is standard output.
  ///   - journal: receives a warning when a full file cannot be rotated.
  package init(
    name: String = "jsonl", path: String, rotation: Rotation? = nil, journal: Journal? = nil
  ) throws(SinkOutage) {
    self.name = name
    self.path = path
    self.rotation = rotation
    self.journal = journal
    // Batches are small compared to the size limit, so that files end close to the limit.
    window = rotation.map { Int(min(32_768, max(64, $0.size / 4_096))) } ?? 32_768
    output = Mutex(Output(file: path == "-" ? nil : try LineFile(path)))
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    try append(deliveries)
  }

  package func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    try append(events)
  }

  private func append(_ documents: [some Document]) throws(SinkOutage) -> [SinkAnswer] {
    guard !documents.isEmpty else { return [] }
    try output.withLock { output throws(SinkOutage) in
      output.writer.removeAll()
      useReopenedFile(&output)
      // Before a rotation, so that an incomplete line ends in its own file.
      try output.file?.prepare()
      if output.isTorn { output.writer.endLine() }
      for document in documents { document.writeLine(to: &output.writer) }
      rotate(&output)
      try write(&output)
    }
    return Array(repeating: .delivered, count: documents.count)
  }

  private func write(_ output: inout Output) throws(SinkOutage) {
    if let file = output.file { return try file.append(output.writer.bytes) }
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

  /// Rotates the file if the next lines would exceed the size limit. If rotation fails, the file
  /// grows beyond the limit, so that no deliveries are lost.
  private func rotate(_ output: inout Output) {
    guard let rotation, let file = output.file, file.size > 0,
      Int64(file.size + output.writer.bytes.count) > rotation.size
    else { return }
    do throws(SinkOutage) {
      try file.rotate(keep: rotation.keep)
      output.isRotationFailing = false
    } catch {
      if !output.isRotationFailing {
        journal?.send(
          message: "the sink \(name): \(file.path) is full and stays in use: \(error)",
          priority: .warning, fields: [(.sink, name), (.reason, error.description)])
      }
      output.isRotationFailing = true
    }
  }

  /// Opens the path again, because it may name another file after the current file was moved.
  package func prepareForReload() throws {
    guard path != "-" else { return }
    let reopened = try LineFile.open(path)
    reopenedFile.withLock { $0 = reopened }
    output.withLockIfAvailable { useReopenedFile(&$0) }
  }

  /// Replaces the open file with the one that a reload has opened, if there is one.
  private func useReopenedFile(_ output: inout Output) {
    let latest = reopenedFile.withLock { reopenedFile in
      defer { reopenedFile = nil }
      return reopenedFile
    }
    if let latest { output.file?.resume(in: latest) }
  }
}

/// `type: jsonl`: deliveries as lines of JSON in a file or on standard output.
package struct JSONLinesConfiguration: SinkConfiguration {
  package static let type = "jsonl"
  package static let acceptsAnalytics = true
  package static let waitsForOthers = false
  package static let acceptsConcurrency = false
  package static let keys: [KeyDescription] = [
    .required("file", .text, "The file; - is standard output."),
    .optional("rotate", .text, "The size at which the file is rotated, such as 100MB."),
    .optional("keep", .wholeNumber, "The number of rotated files."),
  ]

  /// The path of the file; "-" for standard output.
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
      settings.refuse("rotate", "needs a file; standard output has no size")
    }
    if settings.has("keep"), !settings.has("rotate") {
      settings.refuse("keep", "needs \"rotate\", such as rotate: 100MB")
    }
  }

  package func check(credentials: Credentials) throws {
    if file != "-" { try WritableFile.check(file) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    try JSONLinesSink(
      name: common.name, path: file, rotation: rotation, journal: surroundings.journal)
  }
}
