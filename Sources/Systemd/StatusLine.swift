/// Text made fit for one field of a notification to the service manager.
struct StatusLine: CustomStringConvertible {
  /// The manager passes over a datagram of more than 4,096 bytes; a line that long is of no use
  /// to a reader either.
  static let byteCountMax = 1_024

  let description: String

  init(_ text: String) {
    var line = String.UnicodeScalarView()
    var byteCount = 0
    for scalar in text.unicodeScalars {
      byteCount += UTF8.width(scalar)
      if byteCount > StatusLine.byteCountMax { break }
      line.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    description = String(line)
  }
}
