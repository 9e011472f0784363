package import Reminders

/// Decides which distributed traces are exported (rule H25): a share of them, selected by the
/// trace's id alone. So all spans of a trace, and all services with the same share, get the same
/// decision.
package struct TraceSampler: Hashable, Sendable {
  /// The number of digits at the end of a trace's id that count as random (W3C Trace Context,
  /// level 2).
  private static let digits = 14

  /// The smallest sampled value of these digits.
  private let threshold: UInt64

  /// - Parameter share: from 0 for no trace to 1 for all.
  package init(share: Double) {
    let valueCount = Double(UInt64(1) << (4 * UInt64(Self.digits)))
    threshold = UInt64((1 - min(max(share, 0), 1)) * valueCount)
  }

  /// Returns whether the spans of a trace are exported.
  package func isSampled(_ trace: TraceContext) -> Bool {
    let value = trace.trace.utf8.suffix(Self.digits).reduce(into: UInt64(0)) { value, digit in
      value = value << 4 | UInt64(digit <= 0x39 ? digit - 0x30 : digit - 0x57)
    }
    return value >= threshold
  }
}

extension TraceContext {
  /// The id of the trace: 32 hexadecimal digits.
  var trace: Substring { parent.dropFirst(3).prefix(32) }

  /// The id of the app's span: 16 hexadecimal digits.
  var span: Substring { parent.dropFirst(36).prefix(16) }
}
