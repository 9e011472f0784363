import CSystemd
import Glibc
import Systemd

/// An open file, closed with this value.
final class Descriptor {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }

  /// A file in memory, to be read from its start.
  static func holding(_ bytes: [UInt8]) throws(SystemCallError) -> Descriptor {
    let number = bytes.withUnsafeBytes { chime_text_open($0.baseAddress, $0.count) }
    return Descriptor(try SystemCallError.check("hold a text in memory", number))
  }

  static func pipe() throws(SystemCallError) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    _ = try SystemCallError.check("open a pipe", chime_pipe_open(&ends))
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// From now on a call returns at once where it would wait.
  func doNotWait() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  enum Reading {
    case bytes(ArraySlice<UInt8>)
    /// There is nothing yet.
    case nothing
    case end
  }

  /// What can be read at once, at most as much as the buffer holds.
  func read(_ buffer: inout [UInt8]) -> Reading {
    while true {
      let count = Glibc.read(number, &buffer, buffer.count)
      if count > 0 { return .bytes(buffer[..<count]) }
      if count < 0, errno == EINTR { continue }
      return count < 0 && errno == EAGAIN ? .nothing : .end
    }
  }
}
