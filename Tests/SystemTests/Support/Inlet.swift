import Glibc

/// The bytes read from a descriptor.
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

  /// Reads once, and blocks if nothing is available.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<count]
    } else if count == 0 || errno != EINTR {
      isAtEnd = true
    }
  }

  /// Removes and returns all complete lines.
  func takeLines() -> [ArraySlice<UInt8>] {
    let newline = UInt8(ascii: "\n")
    guard let last = bytes.lastIndex(of: newline) else { return [] }
    let completeLines = bytes[...last]
    bytes.removeFirst(last + 1)
    return completeLines.split(separator: newline)
  }

  /// Removes and returns the first line, if it is complete.
  func takeLine() -> ArraySlice<UInt8>? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = bytes[..<end]
    bytes.removeFirst(end + 1)
    return line
  }

  /// Removes and returns all bytes.
  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}
