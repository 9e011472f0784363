/// The head of a final reply, parsed line by line. The heads of informational replies (1xx) before
/// it are skipped.
package struct ReplyHead: Sendable {
  /// The maximum size in bytes of all heads together. The trailers have the same limit again.
  package static let byteCountMax = 65_536

  /// The status code of the final reply; nil before its status line.
  package private(set) var status: Int?
  /// The first fault of the heads or trailers; nil if there is none so far.
  package private(set) var fault: ReplyError?
  /// Whether the head of the final reply is complete.
  package private(set) var isComplete = false
  /// Whether the next line begins a head.
  private var isAtStart = true
  /// The size of the heads so far, or of the trailers after them.
  private var byteCount = 0
  /// The header lines with their line ends.
  private var lines: [UInt8] = []

  /// Reads the next line of a head, including its final empty line, or of the trailers. Returns
  /// false to abort the transfer.
  mutating func read(_ line: UnsafeRawBufferPointer) -> Bool {
    byteCount += line.count
    if byteCount > Self.byteCountMax { fault = fault ?? .longHead }
    guard fault == nil else { return false }
    // Trailers are ignored.
    guard !isComplete else { return true }
    if isAtStart {
      begin(line)
    } else if line.allSatisfy(Self.isLineEnd) {
      finish()
    } else if status != nil {
      lines += line
    }
    return fault == nil
  }

  /// Reads the status line of a head.
  private mutating func begin(_ line: UnsafeRawBufferPointer) {
    isAtStart = false
    guard let code = Self.code(line) else {
      fault = .noStatus
      return
    }
    switch ReplyStatus(code: code) {
    case .final(let code): status = code
    case .interim: break
    case nil: fault = .status(code)
    }
  }

  /// Ends a head at its empty line.
  private mutating func finish() {
    isAtStart = true
    guard status != nil else { return }
    isComplete = true
    byteCount = 0
  }

  private static func code(_ line: UnsafeRawBufferPointer) -> Int? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, versions.contains(where: { words[0].elementsEqual($0) }) else {
      return nil
    }
    return ReplyStatus.code(words[1].prefix { !isLineEnd($0) })
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }

  private static let versions = ["HTTP/1.1", "HTTP/1.0"].map { Array($0.utf8) }
}

extension ReplyHead {
  /// The header fields in order, with lower-case names.
  package var fields: [(name: String, value: String)] {
    lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
        return nil
      }
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
      let value = line[(colon + 1)...].drop(while: isBlank)
      let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
      return (
        String(decoding: line[..<colon], as: UTF8.self).lowercased(),
        String(decoding: value[..<end], as: UTF8.self)
      )
    }
  }

  /// Returns the first value of a field, by its lower-case name.
  package func first(_ name: String) -> String? {
    fields.first { $0.name == name }?.value
  }
}
