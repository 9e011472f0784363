internal import TestSupport

/// What a peer does when it has been asked something.
package struct AnswerScript: Sendable {
  package enum Ending: CaseIterable, Sendable {
    /// Nothing more comes.
    case stay
    case close
    /// It says no more and listens on.
    case halfClose
    case reset
  }

  package enum Expectation: Sendable {
    case delivered
    /// Attempted again.
    case retry
    /// Not delivered.
    case refused
    /// One answer, whatever it is.
    case any
  }

  /// Whether it may be taken for a delivery.
  package var mayDeliver: Bool { expectation == .delivered || expectation == .any }

  /// Each is sent on its own.
  package var pieces: [[UInt8]]
  /// Sent again and again, until the other side has had enough.
  package var endless: [UInt8] = []
  package var ending = Ending.stay
  package var expectation = Expectation.any

  package init(_ bytes: [UInt8], _ expectation: Expectation = .any) {
    pieces = [bytes]
    self.expectation = expectation
  }

  package static let healthy = AnswerScript(
    Array("HTTP/1.1 204 No Content\r\n\r\n".utf8), .delivered)

  /// Sends it in parts that are cut anywhere.
  mutating func tear(_ random: inout SplitMix64) {
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

  /// Breaks it somewhere: nothing is known of what becomes of it then.
  mutating func damage(_ random: inout SplitMix64) {
    var bytes = pieces.flatMap(\.self)
    for _ in 0..<random.number(1...3) where !bytes.isEmpty {
      let place = random.number(0...(bytes.count - 1))
      switch random.number(0...4) {
      case 0: bytes[place] ^= 1 << UInt8(random.number(0...7))
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(contentsOf: random.bytes(random.number(1...4)), at: place)
      case 3: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    pieces = [bytes]
    expectation = .any
  }
}
