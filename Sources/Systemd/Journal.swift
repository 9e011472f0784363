import CSystemd
import Glibc
import Synchronization

/// The log of the service: structured entries for journald, otherwise lines of text or JSON.
///
/// Fields name the recipient, reminder and sink of an entry by id. Callers must not log a
/// notification's title or body, a token, a key or an address (rule S3). This code cannot
/// distinguish such data from other text. The `journal` sink is the one exception, because its
/// entries are deliveries.
///
/// Safe to use from any thread. An entry is one system call, which blocks while journald's queue is
/// full.
package struct Journal: Sendable {
  /// The destination of entries.
  package enum Destination: Equatable, Sendable {
    case journald
    /// Lines of text, written to this descriptor.
    case lines(Int32)
    /// A JSON object per line, written to this descriptor.
    case json(Int32)
  }

  private let destination: Destination
  /// The lowest priority that is written; nil writes all entries.
  private let threshold: JournalThreshold?
  /// Stores the service's own latest entries; nil if they are not needed.
  private let ring: JournalRing?

  /// - Parameters:
  ///   - threshold: entries of lower priority are not written; nil writes all entries.
  ///   - ring: stores the service's own latest entries as well.
  package init(
    _ destination: Destination, threshold: JournalThreshold? = nil, ring: JournalRing? = nil
  ) {
    self.destination = destination
    self.threshold = threshold
    self.ring = ring
  }

  /// Returns a journal with the destination that `Destination.inherited()` finds.
  package static func inherited(
    threshold: JournalThreshold? = nil, ring: JournalRing? = nil
  ) -> Journal {
    Journal(Destination.inherited(), threshold: threshold, ring: ring)
  }

  /// A journal with the same destination and no threshold.
  package var unfiltered: Journal { Journal(destination, ring: ring) }

  /// Sends an entry that the message catalog does not explain, unless `messageID` names one of its
  /// kinds.
  package func send(
    message: String, priority: JournalPriority,
    fields: [(name: JournalField, value: String)] = [], messageID: String? = nil
  ) {
    if let threshold, !threshold.allows(priority) { return }
    write(
      JournalEntry(message: message, priority: priority, fields: fields, messageID: messageID))
  }

  private func write(_ entry: JournalEntry) {
    switch destination {
    case .lines(let descriptor):
      writeLine(Array(entry.line(at: .now).utf8), to: descriptor)
    case .json(let descriptor):
      writeLine(entry.json(at: .now), to: descriptor)
    case .journald:
      guard !submit(entry.assignments) else { return }
      // journald has refused the entry, so it is written as text to standard error.
      writeLine(Array(entry.line(at: .now).utf8), to: STDERR_FILENO)
    }
  }

  /// Sends an entry of the service itself. The message catalog explains the entry's kind and
  /// fields.
  package func send(
    _ kind: MessageKind, _ message: String, fields: [(name: JournalField, value: String)] = []
  ) {
    let missing = kind.fields.filter { name in !fields.contains { $0.name == name } }
    assert(missing.isEmpty, "\(kind) needs the fields \(missing)")
    if let threshold, !threshold.allows(kind.priority) { return }
    let entry = JournalEntry(
      message: message, priority: kind.priority, fields: fields, messageID: kind.id)
    ring?.append(entry)
    write(entry)
  }
}

/// Passes the fields to libsystemd, which sends one datagram, or a sealed file for large fields.
private func submit(_ assignments: [String]) -> Bool {
  var bytes: [UInt8] = []
  let lengths = assignments.map { $0.utf8.count }
  bytes.reserveCapacity(lengths.reduce(0, +))
  for assignment in assignments { bytes.append(contentsOf: assignment.utf8) }
  return bytes.withUnsafeMutableBytes { buffer in
    var offset = 0
    let vectors = lengths.map { length in
      defer { offset += length }
      return iovec(iov_base: buffer.baseAddress?.advanced(by: offset), iov_len: length)
    }
    return sd_journal_sendv(vectors, Int32(vectors.count)) == 0
  }
}

/// Writes a line. If the write fails, the line is lost, because logging must not stop the service.
private func writeLine(_ bytes: [UInt8], to descriptor: Int32) {
  var written = 0
  while written < bytes.count {
    let count = bytes[written...].withUnsafeBytes { rest in
      Glibc.write(descriptor, rest.baseAddress, rest.count)
    }
    if count < 0 && errno != EINTR { return }
    written += max(0, count)
  }
}

extension Journal.Destination {
  /// Returns the destination that the environment selects:
  ///
  /// - JSON on standard output, if $CHIMED_LOG is `json`;
  /// - journald, if standard error is the stream that $JOURNAL_STREAM names. The variable alone is
  ///   no proof, because it stays set when standard error is redirected;
  /// - otherwise lines on standard error.
  package static func inherited() -> Journal.Destination {
    if LogFormat.inherited == .json { return .json(STDOUT_FILENO) }
    var status = stat()
    guard let variable = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
      return .lines(STDERR_FILENO)
    }
    let isStream = matches(
      String(cString: variable), device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    return isStream ? .journald : .lines(STDERR_FILENO)
  }

  /// Returns whether the variable names the file with this device and inode: it has the form
  /// `device:inode`, in decimal (systemd.exec(5), $JOURNAL_STREAM).
  package static func matches(_ variable: String, device: UInt64, inode: UInt64) -> Bool {
    variable == "\(device):\(inode)"
  }
}

/// The format of log lines that $CHIMED_LOG selects.
package enum LogFormat: String, Sendable {
  case json

  package static let variable = "CHIMED_LOG"

  /// The value of $CHIMED_LOG; empty if it is unset.
  package static var text: String { getenv(variable).map { String(cString: $0) } ?? "" }

  /// The format that $CHIMED_LOG selects; nil if the variable is unset or invalid.
  static var inherited: LogFormat? { LogFormat(rawValue: text) }
}

/// The lowest priority that is written. It can be changed at any time from any thread.
package final class JournalThreshold: Sendable {
  private let rawPriority: Atomic<Int32>

  package init(_ priority: JournalPriority = .informational) {
    rawPriority = Atomic(priority.rawValue)
  }

  package var priority: JournalPriority {
    get { JournalPriority(rawValue: rawPriority.load(ordering: .relaxed)) ?? .informational }
    set { rawPriority.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// Returns whether entries of a priority are written. Higher priorities have lower numbers.
  func allows(_ priority: JournalPriority) -> Bool { priority.rawValue <= self.priority.rawValue }
}
