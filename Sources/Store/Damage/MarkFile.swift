import CivilTime
internal import Glibc

/// The file of a high-water mark. It is written after what it tells is on disk, and not synced: so
/// it may be behind the store, and never ahead of it.
final class MarkFile {
  private let descriptor: Int32
  private var written: HighWaterMark?

  /// A file that cannot be had is no reason not to start: then nothing is compared.
  init(_ path: String) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func read() -> HighWaterMark? {
    var bytes = [UInt8](repeating: 0, count: HighWaterMark.byteCount)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    return HighWaterMark(bytes)
  }

  /// When it was written last.
  var time: Instant? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return Instant(
      milliseconds: Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec / 1_000_000)
    )
  }

  /// Cost: one system call where the mark has moved.
  func write(_ mark: HighWaterMark) {
    guard mark != written else { return }
    let bytes = mark.bytes
    if pwrite(descriptor, bytes, bytes.count, 0) == bytes.count { written = mark }
  }
}
