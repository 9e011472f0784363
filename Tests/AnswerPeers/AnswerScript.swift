internal import TestSupport

/// A peer's reaction to one request.
package struct AnswerScript: Sendable {
  package enum Ending: CaseIterable, Sendable {
    /// Keeps the connection open and sends nothing more.
    case stay
    case close
    /// Closes the sending side only.
    case halfClose
    case reset
  }

  package enum Expectation: Sendable {
    case delivered
    /// The delivery must be retried.
    case retry
    /// The delivery must not count as delivered.
    case refused
    /// Any result is allowed.
    case any
  }

  /// Whether the result may be "delivered".
  package var mayDeliver: Bool { expectation == .delivered || expectation == .any }

  /// Each piece is sent separately.
  package var pieces: [[UInt8]]
  /// The bytes that follow the pieces and repeat until the client disconnects; empty if none do.
  package var endless: [UInt8] = []
  package var ending = Ending.stay
  package var expectation = Expectation.any

  package init(_ bytes: [UInt8], _ expectation: Expectation = .any) {
    pieces = [bytes]
    self.expectation = expectation
  }

  package static let healthy = AnswerScript(
    Array("HTTP/1.1 204 No Content\r\n\r\n".utf8), .delivered)

  /// Cuts the answer into at most 65 random pieces.
  mutating func split(_ random: inout SplitMix64) {
    var rest = pieces.flatMap(\.self)[...]
    pieces = []
    while !rest.isEmpty {
      let piece = rest.prefix(random.chance(50) ? random.number(1...8) : random.number(1...4_096))
      pieces.append(Array(piece))
      rest =
        pieces.count < 64
        ? rest.dropFirst(piece.count)
        : {
          pieces.append(Array(rest))
          return []
        }()
    }
  }

  /// Damages the answer at one to three random positions. Any result is allowed then.
  mutating func damage(_ random: inout SplitMix64) {
    var bytes = pieces.flatMap(\.self)
    for _ in 0..<random.number(1...3) where !bytes.isEmpty {
      let offset = random.number(0...(bytes.count - 1))
      switch random.number(0...4) {
      case 0: bytes[offset] ^= 1 << UInt8(random.number(0...7))
      case 1: bytes.remove(at: offset)
      case 2: bytes.insert(contentsOf: random.bytes(random.number(1...4)), at: offset)
      case 3: bytes.insert(contentsOf: bytes[offset...].prefix(40), at: offset)
      default: bytes.removeSubrange(offset...)
      }
    }
    pieces = [bytes]
    expectation = .any
  }
}
