/// Takes bytes apart into lines, whatever their pieces are; a line too long is left out.
struct PipeLines {
  enum Line: Hashable {
    case text([UInt8])
    case long
  }

  static let lengthMax = 64 << 10

  private var rest: [UInt8] = []
  private var isLong = false

  /// The lines that these bytes bring to their end.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [Line] {
    var lines: [Line] = []
    var bytes = bytes
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      keep(bytes[..<end])
      lines.append(takeLine())
      bytes = bytes[(end + 1)...]
    }
    keep(bytes)
    return lines
  }

  /// What is left without an end; nil if nothing is.
  mutating func finish() -> Line? {
    rest.isEmpty && !isLong ? nil : takeLine()
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard !isLong, rest.count + bytes.count <= Self.lengthMax else {
      isLong = true
      rest = []
      return
    }
    rest += bytes
  }

  private mutating func takeLine() -> Line {
    defer {
      rest = []
      isLong = false
    }
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    return isLong ? .long : .text(rest)
  }
}
