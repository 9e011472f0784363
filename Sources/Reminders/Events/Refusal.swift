/// Why something that came from outside is not taken, and what to do about it. Nothing was changed.
package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// Not readable at all: not JSON, or not the JSON that was asked for.
    case malformed
    /// Readable, but not acceptable.
    case unacceptable
    /// The same identity was used for something else.
    case conflict
    /// So much waits for the recipient already that no more is taken (rule H6); it may be later.
    case overfull
  }

  package let kind: Kind
  /// Where, as a path such as `data.timezone`; empty for the whole.
  package let path: String
  package let reason: String

  package init(_ kind: Kind = .unacceptable, path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  package var description: String {
    path.isEmpty ? reason : "\(path) \(reason)"
  }
}
