import CSystemd
import Glibc
import Synchronization

/// The log of the service: structured entries for journald, or readable lines where journald does
/// not listen.
///
/// Fields say which recipient, reminder and sink an entry is about, by id. A notification's title
/// or body, a token, a key or an address has no place in one (S3); that is the caller's duty, as
/// nothing here can tell them from other text. The one exception is the `journal` sink, which is a
/// delivery.
///
/// Safe to use from any thread; an entry is one system call, which waits while journald's queue is
/// full.
package struct Journal: Sendable {
  /// Where entries go.
  package enum Destination: Equatable, Sendable {
    case journald
    /// A line each, to this descriptor.
    case lines(Int32)
  }

  private let destination: Destination
  private let threshold: JournalThreshold?
  private let ring: JournalRing?

  /// - Parameters:
  ///   - threshold: what matters less is not written; nil writes everything.
  ///   - ring: where the latest of the service's own entries are kept as well.
  package init(
    _ destination: Destination, threshold: JournalThreshold? = nil, ring: JournalRing? = nil
  ) {
    self.destination = destination
    self.threshold = threshold
    self.ring = ring
  }

  /// journald, if that is where this process's standard error leads, else standard error itself.
  package static func inherited(
    threshold: JournalThreshold? = nil, ring: JournalRing? = nil
  ) -> Journal {
    Journal(Destination.inherited(), threshold: threshold, ring: ring)
  }

  /// The same for entries that are always written, whatever they matter.
  package var unfiltered: Journal { Journal(destination, ring: ring) }

  package func send(
    message: String, priority: JournalPriority,
    fields: [(name: JournalField, value: String)] = [], messageID: String? = nil
  ) {
    if let threshold, !threshold.lets(priority) { return }
    write(
      JournalEntry(message: message, priority: priority, fields: fields, messageID: messageID))
  }

  private func write(_ entry: JournalEntry) {
    switch destination {
    case .lines(let descriptor):
      writeLine(entry, to: descriptor)
    case .journald:
      // What journald refuses is at least seen as text, which standard error carries to it.
      if !submit(entry.assignments) { writeLine(entry, to: STDERR_FILENO) }
    }
  }

  /// An entry of the service's own, which the message catalog explains by what is in its fields.
  package func send(
    _ kind: MessageKind, _ message: String, fields: [(name: JournalField, value: String)] = []
  ) {
    let missing = kind.fields.filter { name in !fields.contains { $0.name == name } }
    assert(missing.isEmpty, "\(kind) needs the fields \(missing)")
    if let threshold, !threshold.lets(kind.priority) { return }
    let entry = JournalEntry(
      message: message, priority: kind.priority, fields: fields, messageID: kind.id)
    ring?.keep(entry)
    write(entry)
  }
}

/// Hands the fields to libsystemd, which sends them in one datagram, or by a sealed file where
/// they are too large for one.
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

/// Writes the entry as a line. What cannot be written is lost: a log must not stop the service.
private func writeLine(_ entry: JournalEntry, to descriptor: Int32) {
  let bytes = Array(entry.line(at: .now).utf8)
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
  /// journald, if standard error is the stream that $JOURNAL_STREAM names.
  ///
  /// The variable alone proves nothing: whoever redirects standard error leaves it in place.
  package static func inherited() -> Journal.Destination {
    var status = stat()
    guard let variable = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
      return .lines(STDERR_FILENO)
    }
    let isStream = matches(
      String(cString: variable), device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    return isStream ? .journald : .lines(STDERR_FILENO)
  }

  /// Whether `device:inode`, both in decimal, names this file (systemd.exec(5), $JOURNAL_STREAM).
  package static func matches(_ variable: String, device: UInt64, inode: UInt64) -> Bool {
    variable == "\(device):\(inode)"
  }
}

/// How much an entry has to matter to be written; it may be changed at any time, on any thread.
package final class JournalThreshold: Sendable {
  private let value: Atomic<Int32>

  package init(_ priority: JournalPriority = .informational) {
    value = Atomic(priority.rawValue)
  }

  package var priority: JournalPriority {
    get { JournalPriority(rawValue: value.load(ordering: .relaxed)) ?? .informational }
    set { value.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// What matters more has the lower number.
  func lets(_ priority: JournalPriority) -> Bool { priority.rawValue <= self.priority.rawValue }
}
