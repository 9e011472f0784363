import Foundation
import Reminders

/// Text for a mail header. It is one line without control characters, so no other field can be
/// injected through it.
package struct HeaderText: Hashable, Sendable {
  package let text: String

  /// Replaces control characters and line breaks by spaces.
  package init(_ text: String) {
    let scalars = text.unicodeScalars.map { Self.isHarmless($0) ? $0 : " " }
    self.text = String(String.UnicodeScalarView(scalars)).trimmed
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }

  /// The field's value: ASCII, folded (RFC 5322, section 2.2.3), with encoded words where necessary
  /// (RFC 2047).
  package var encoded: String {
    isPlain ? folded : EncodedWords.encode(text)
  }

  /// The text as a display name before an address.
  package var phrase: String {
    let isAtoms = text.utf8.allSatisfy { AddressShape.isAtomByte($0) || $0 == UInt8(ascii: " ") }
    return isAtoms && isPlain ? folded : EncodedWords.encode(text)
  }

  /// The maximum length of an unencoded word, in bytes. A longer word is encoded, because a word
  /// cannot be folded.
  private static let wordMax = 60
  /// The maximum length of a line in bytes.
  private static let lineMax = 76

  /// Whether the text needs no encoded words.
  private var isPlain: Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
      && text.split(separator: " ").allSatisfy { $0.utf8.count <= Self.wordMax }
  }

  /// The text in lines of at most `lineMax`, as far as its words allow.
  private var folded: String {
    var lines: [String] = []
    // The first line begins with the field's name.
    var line = ""
    var lineLimit = Self.lineMax - 16
    for word in text.split(separator: " ") {
      if !line.isEmpty && line.utf8.count + 1 + word.utf8.count > lineLimit {
        lines.append(line)
        line = String(word)
        lineLimit = Self.lineMax
      } else {
        line += line.isEmpty ? String(word) : " " + word
      }
    }
    return (lines + [line]).joined(separator: "\r\n ")
  }
}

/// Encoded words for non-ASCII text in headers (RFC 2047).
enum EncodedWords {
  /// The maximum number of bytes per word. A word has at most 75 characters, 12 of which mark it as
  /// encoded. A line has at most 76 characters, including the longest field name.
  private static let bytesMax = 36

  static func encode(_ text: String) -> String {
    chunks(of: text).map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }
      .joined(separator: "\r\n ")
  }

  /// Splits the text so that each word contains whole characters.
  private static func chunks(of text: String) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var chunk: [UInt8] = []
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if chunk.count + bytes.count > bytesMax {
        chunks.append(chunk)
        chunk = []
      }
      chunk += bytes
    }
    return chunk.isEmpty && !chunks.isEmpty ? chunks : chunks + [chunk]
  }
}

extension String {
  /// The text without the spaces at its beginning and end.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
