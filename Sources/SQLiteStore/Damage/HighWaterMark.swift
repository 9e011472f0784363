import CivilTime
internal import Glibc
import Store

/// The numbers of the last event and notification that a store has on disk, with a hash of the
/// store's name.
///
/// The mark is stored outside the database, so that missing data is noticed: SQLite ignores its
/// write-ahead log from the first incomplete frame on, and reports no error.
struct HighWaterMark: Equatable {
  static let byteCount = 32

  /// A hash of the store's name.
  let store: UInt64
  /// The number of the last event.
  let event: Int64
  /// The number of the last notification.
  let notification: Int64

  init(instance: String, event: Int64, notification: Int64) {
    var hash = SipHash(key: SipHash.Key(first: 0, second: 0))
    hash.add(instance)
    store = hash.finished()
    self.event = event
    self.notification = notification
  }

  /// Returns nil if the bytes are not a valid mark, for instance after a crash of the machine.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let words = stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    store = words[0]
    event = Int64(bitPattern: words[1])
    notification = Int64(bitPattern: words[2])
    guard words[3] == checksum, event >= 0, notification >= 0 else { return nil }
  }

  /// Four little-endian words: the hash, both numbers and a checksum.
  var bytes: [UInt8] {
    (words + [checksum]).flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
  }

  private var words: [UInt64] {
    [store, UInt64(bitPattern: event), UInt64(bitPattern: notification)]
  }

  /// A checksum that changes with any single word, and is not zero if all words are zero.
  private var checksum: UInt64 {
    words.reduce(0x6368_696d_6564) { ($0 ^ $1) &* 0x9e37_79b9_7f4a_7c15 &+ 1 }
  }
}

/// The file of a high-water mark. The file is written when the data that the mark counts is on
/// disk. The file is not synced, so the mark may be behind the store, but never ahead.
final class MarkFile {
  /// The file's descriptor; negative if the file cannot be opened.
  private let descriptor: Int32
  private var lastWritten: HighWaterMark?

  /// If the file cannot be opened, the store starts without a comparison with the mark.
  init(_ path: String) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the stored mark; nil if there is none or it is not valid.
  func read() -> HighWaterMark? {
    var bytes = [UInt8](repeating: 0, count: HighWaterMark.byteCount)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    return HighWaterMark(bytes)
  }

  /// When the file was last written; nil if that is unknown.
  var time: Instant? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return Instant(
      milliseconds: Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec / 1_000_000)
    )
  }

  /// Writes the mark. Cost: one system call if the mark has changed.
  func write(_ mark: HighWaterMark) {
    guard mark != lastWritten else { return }
    let bytes = mark.bytes
    if pwrite(descriptor, bytes, bytes.count, 0) == bytes.count { lastWritten = mark }
  }
}
