import Glibc

/// What comes from a descriptor, as far as it has been read.
final class Inlet {
  let descriptor: Int32
  private(set) var bytes: [UInt8] = []
  private(set) var isAtEnd = false

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Reads once; waits if nothing is there.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<count]
    } else if count == 0 || errno != EINTR {
      isAtEnd = true
    }
  }

  /// Takes out what has come up to the end of the last whole line.
  func takeLines() -> [ArraySlice<UInt8>] {
    let newline = UInt8(ascii: "\n")
    guard let last = bytes.lastIndex(of: newline) else { return [] }
    let whole = bytes[...last]
    bytes.removeFirst(last + 1)
    return whole.split(separator: newline)
  }

  /// Takes out the first line, if all of it has come.
  func takeLine() -> ArraySlice<UInt8>? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = bytes[..<end]
    bytes.removeFirst(end + 1)
    return line
  }

  /// Takes out all that has come.
  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}
