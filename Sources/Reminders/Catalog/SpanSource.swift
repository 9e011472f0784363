package import CivilTime

/// A length of elapsed time that a catalog fixes or a person sets (rule T3).
package enum SpanSource: Hashable, Sendable {
  case fixed(TimeSpan)
  /// A setting in milliseconds.
  case setting(Int)

  package func span(_ settings: Settings) -> TimeSpan {
    switch self {
    case .fixed(let span): span
    case .setting(let index): TimeSpan(milliseconds: settings[index])
    }
  }
}
