import CivilTime
package import Delivery
internal import Glibc
package import JSON
package import Reminders
import Synchronization

/// Writes each delivery as one line of JSON to a file or to standard output.
///
/// A file is synced before the deliveries count as handed over. A line that a crash or a full disk
/// cut off is ended before the next one, so that no line holds two.
package final class JSONLinesSink: Sink {
  package let name: String
  private let descriptor: Int32
  private let isRegular: Bool
  private let output = Mutex(Output())

  private struct Output {
    var writer = JSONWriter(reservingCapacity: 1 << 20)
    /// Whether the last line that was written is not complete.
    var isTorn = false
  }

  /// - Parameter path: "-" is standard output.
  package init(name: String = "jsonl", path: String) throws(SinkOutage) {
    self.name = name
    descriptor = path == "-" ? STDOUT_FILENO : Self.open(path)
    guard descriptor >= 0 else {
      throw SinkOutage("\(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    var status = stat()
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    if isRegular, !Self.endsLine(descriptor, size: status.st_size) {
      _ = Glibc.write(descriptor, "\n", 1)
    }
  }

  deinit {
    if descriptor != STDOUT_FILENO { close(descriptor) }
  }

  private static func open(_ path: String) -> Int32 {
    Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
  }

  private static func endsLine(_ descriptor: Int32, size: Int) -> Bool {
    guard size > 0 else { return true }
    var byte: UInt8 = 0
    return pread(descriptor, &byte, 1, size - 1) != 1 || byte == UInt8(ascii: "\n")
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    let outage = output.withLock { output -> SinkOutage? in
      output.writer.removeAll()
      if output.isTorn { output.writer.endLine() }
      for delivery in deliveries { delivery.writeLine(to: &output.writer) }
      return write(output.writer.bytes, isTorn: &output.isTorn) ?? sync()
    }
    if let outage { throw outage }
    return Array(repeating: .delivered, count: deliveries.count)
  }

  private func write(_ bytes: [UInt8], isTorn: inout Bool) -> SinkOutage? {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.write(descriptor, slice.baseAddress, slice.count)
        if count > 0 {
          rest = rest.dropFirst(count)
          isTorn = slice[count - 1] != UInt8(ascii: "\n")
        } else if errno != EINTR {
          return SinkOutage("writing failed: \(String(cString: strerror(errno)))")
        }
      }
      return nil
    }
  }

  private func sync() -> SinkOutage? {
    guard isRegular, fdatasync(descriptor) != 0 else { return nil }
    return SinkOutage("syncing failed: \(String(cString: strerror(errno)))")
  }
}
