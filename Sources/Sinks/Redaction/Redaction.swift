import CivilTime
import Outbox
package import Systemd

/// Strikes secrets out of what the other side says, in whatever way it writes them.
///
/// Whether letters are small or capital does not matter: servers write an address or a number in
/// base 16 as they like.
package struct Redaction: Sendable {
  private let secrets: [Secret]

  /// - Parameter secrets: an empty one strikes nothing.
  package init(_ secrets: [Secret]) {
    self.secrets = secrets
  }

  func adding(_ secret: Secret) -> Redaction { Redaction(secrets + [secret]) }

  /// The text with a star for each character that a secret is written by, also by one that does not
  /// come to its end before the text does.
  package func applied(to text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    let search = SecretSearch(scalars)
    // All are looked for in what was said: a short one may be a part of a longer one.
    for place in secrets.flatMap({ search.places(of: $0.reveal()) }) {
      for index in place { scalars[index] = "*" }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension SinkResponse {
  /// Twice what is shown. Who is sent to may choose what is a secret and what is answered, and the
  /// search takes the longer the more there is of both.
  private static let byteCountMax = 512

  /// - Parameter said: what the other side sent, of any length and content.
  init(
    status: String, said: some Collection<UInt8>, hiding secrets: Redaction, duration: TimeSpan
  ) {
    let beginning = String(decoding: said.prefix(Self.byteCountMax), as: UTF8.self)
    self.init(status: status, said: secrets.applied(to: beginning).utf8, duration: duration)
  }
}

/// Finds secrets in a text where each character may be written in a way of its own.
private struct SecretSearch {
  private let scalars: [Unicode.Scalar]
  /// How else the text can be read, by the place.
  private let escapes: [[EscapedText.Reading]]

  init(_ scalars: [Unicode.Scalar]) {
    let text = EscapedText(scalars)
    self.scalars = text.scalars
    escapes = scalars.indices.map(text.escapes)
  }

  /// So much of a secret is one: fewer characters at the end of a text are a chance.
  private static let beginningMin = 8

  /// - Complexity: O(*n* × *m*) for the lengths of the text and of the secret, whatever is in them.
  func places(of secret: String) -> [Range<Int>] {
    var places = scalars.indices.map { $0..<$0 }
    var cutOff: [Range<Int>] = []
    for (count, scalar) in secret.unicodeScalars.enumerated() {
      if count >= Self.beginningMin { cutOff += places.filter { isCutOff(at: $0.upperBound) } }
      places = extended(places, by: scalar.folded)
      if places.isEmpty { break }
    }
    return places + cutOff
  }

  /// Whether the text ends there, or in the middle of what stands for a character there.
  private func isCutOff(at end: Int) -> Bool {
    guard let next = scalars[end...].first else { return true }
    return "\\%&".unicodeScalars.contains(next) && scalars.count - end < EscapedText.escapeMax
  }

  /// Of places that end together only the longest goes on: it covers the others.
  private func extended(_ places: [Range<Int>], by scalar: Unicode.Scalar) -> [Range<Int>] {
    guard !places.isEmpty else { return [] }
    // By where the places end.
    var starts = [Int](repeating: .max, count: scalars.count + 1)
    for place in places where place.upperBound < scalars.count {
      let (start, next) = (place.lowerBound, place.upperBound)
      if scalars[next] == scalar { starts[next + 1] = min(start, starts[next + 1]) }
      for reading in escapes[next] where reading.scalar == scalar {
        starts[reading.end] = min(start, starts[reading.end])
      }
    }
    return starts.indices.filter { starts[$0] < .max }.map { starts[$0]..<$0 }
  }
}
