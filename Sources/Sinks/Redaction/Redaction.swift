import CivilTime
package import Cryptography
import Outbox

/// Removes secrets from a remote's responses, however their characters are escaped.
///
/// The search ignores case, because servers vary the case of addresses and hexadecimal numbers.
package struct Redaction: Sendable {
  private let secrets: [Secret]

  /// - Parameter secrets: the secrets to remove; empty texts are ignored.
  package init(_ secrets: [Secret]) {
    self.secrets = secrets
  }

  func adding(_ secret: Secret) -> Redaction { Redaction(secrets + [secret]) }

  /// Returns the text with an asterisk for each character of a secret. A secret that the end of the
  /// text cuts off is also replaced.
  package func applied(to text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    let search = SecretSearch(scalars)
    // All secrets are searched in the original text, because a short secret may be part of a longer
    // one.
    for range in secrets.flatMap({ search.ranges(of: $0.reveal()) }) {
      for index in range { scalars[index] = "*" }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension SinkResponse {
  /// The number of bytes of a body that are searched: twice the number that is shown. The search
  /// time is proportional to the product of the lengths of secret and answer. The operator of an
  /// endpoint may choose both, so the number is limited.
  private static let byteCountMax = 512

  /// - Parameter body: the body of the response, of any length and content.
  init(
    status: String, body: some Collection<UInt8>, hiding secrets: Redaction, duration: TimeSpan
  ) {
    let beginning = String(decoding: body.prefix(Self.byteCountMax), as: UTF8.self)
    self.init(status: status, body: secrets.applied(to: beginning).utf8, duration: duration)
  }
}

/// Finds secrets in a text in which each character may be escaped differently.
private struct SecretSearch {
  private let scalars: [Unicode.Scalar]
  /// The characters for which an escape sequence at each position may stand.
  private let escapes: [[EscapedText.Reading]]

  init(_ scalars: [Unicode.Scalar]) {
    let text = EscapedText(scalars)
    self.scalars = text.scalars
    escapes = scalars.indices.map(text.escapes)
  }

  /// The minimum number of matching characters of a cut-off secret. Fewer matches at the end of a
  /// text may be a coincidence.
  private static let beginningMin = 8

  /// Returns the ranges of a secret. If the end of the text cuts the secret off, the range of its
  /// beginning is included.
  ///
  /// - Complexity: O(*n* × *m*) for the lengths of the text and of the secret, for any contents.
  func ranges(of secret: String) -> [Range<Int>] {
    var ranges = scalars.indices.map { $0..<$0 }
    var cutOff: [Range<Int>] = []
    for (count, scalar) in secret.unicodeScalars.enumerated() {
      if count >= Self.beginningMin { cutOff += ranges.filter { isCutOff(at: $0.upperBound) } }
      ranges = extended(ranges, by: scalar.folded)
      if ranges.isEmpty { break }
    }
    return ranges + cutOff
  }

  /// Whether the text ends at this position, or within an escape sequence that begins at it.
  private func isCutOff(at end: Int) -> Bool {
    guard let next = scalars[end...].first else { return true }
    return "\\%&".unicodeScalars.contains(next) && scalars.count - end < EscapedText.escapeMax
  }

  /// Extends matches by one character. Of matches with the same end, only the longest remains,
  /// which covers the others.
  private func extended(_ ranges: [Range<Int>], by scalar: Unicode.Scalar) -> [Range<Int>] {
    guard !ranges.isEmpty else { return [] }
    // The start of the longest match by its end.
    var starts = [Int](repeating: .max, count: scalars.count + 1)
    for range in ranges where range.upperBound < scalars.count {
      let (start, next) = (range.lowerBound, range.upperBound)
      if scalars[next] == scalar { starts[next + 1] = min(start, starts[next + 1]) }
      for reading in escapes[next] where reading.scalar == scalar {
        starts[reading.end] = min(start, starts[reading.end])
      }
    }
    return starts.indices.filter { starts[$0] < .max }.map { starts[$0]..<$0 }
  }
}
