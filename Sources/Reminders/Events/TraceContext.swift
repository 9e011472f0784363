/// The trace that an event is part of (W3C Trace Context, level 1). Each delivery that the event
/// causes passes the trace to its sink (rule H8).
package struct TraceContext: Hashable, Sendable {
  /// `traceparent`: version, trace, the caller's span and flags.
  package let parent: String
  /// `tracestate`; nil if it is missing or invalid.
  package let state: String?

  /// Returns nil for an invalid parent, and omits an invalid state. An invalid trace is no reason
  /// to refuse an event: a receiver that cannot use a trace begins a new one (section 4.3).
  package init?(parent: String, state: String? = nil) {
    guard Self.isParent(parent) else { return nil }
    self.parent = parent
    self.state = state.flatMap { Self.isState($0) ? $0 : nil }
  }

  /// The stored form: parent and state in one line.
  package var text: String { state.map { "\(parent) \($0)" } ?? parent }

  /// Reads the result of `text`; returns nil for any other text.
  package init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let parent = parts.first else { return nil }
    self.init(parent: parent, state: parts.count > 1 ? parts[1] : nil)
  }

  /// Returns whether a text is a valid `traceparent` (section 3.2.2): four fields of 2, 32, 16 and
  /// 2 hexadecimal digits in lower case. The version is not "ff". Neither trace nor span is all
  /// zeros.
  private static func isParent(_ text: String) -> Bool {
    let fields = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard fields.map(\.count) == [2, 32, 16, 2],
      fields.allSatisfy({ $0.allSatisfy(isHexadecimal) })
    else { return false }
    return !fields[0].elementsEqual("ff".utf8)
      && fields[1...2].allSatisfy { $0.contains { $0 != UInt8(ascii: "0") } }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Returns whether a text has 1 to 512 characters that are allowed in a header (section 3.3.1.5),
  /// and does not begin with a space.
  private static func isState(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
      && text.utf8.first != 0x20
  }
}
