/// Checks the syntax of addresses (rule E10), for readers of events and for sinks.
package enum AddressShape {
  /// The maximum length of an e-mail address in bytes.
  private static let emailMax = 254
  /// The maximum length of the part before the "@", in bytes.
  private static let localMax = 64
  /// The maximum length of a label of a host name, in Unicode scalars.
  private static let labelMax = 63

  /// Splits an e-mail address that a mail server accepts unchanged (RFC 5321), with letters of all
  /// languages (RFC 6531). Returns nil for any other text. Returns nil also for an address with
  /// quotes or a numeric host, because mail servers refuse such addresses from unknown clients.
  package static func email(_ text: String) -> (local: Substring, host: Substring)? {
    guard text.utf8.count <= emailMax, let atSign = text.lastIndex(of: "@") else { return nil }
    let (local, host) = (text[..<atSign], text[text.index(after: atSign)...])
    guard local.utf8.count <= localMax, isLocal(local), isHost(host) else { return nil }
    return (local, host)
  }

  private static func isLocal(_ text: Substring) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty
        && atom.unicodeScalars.allSatisfy { scalar in
          scalar.isASCII
            ? isAtomByte(UInt8(truncatingIfNeeded: scalar.value))
            : isLetter(scalar) || scalar.properties.generalCategory == .otherSymbol
        }
    }
  }

  /// Returns whether a byte may occur in an atom of a header (RFC 5322, section 3.2.3).
  package static func isAtomByte(_ byte: UInt8) -> Bool {
    isASCIIAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }

  /// Returns whether a text can be a host name, in ASCII or not: labels between dots, where the
  /// last label is not a number.
  package static func isHost(_ text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy(isLabel) && labels.last?.utf8.allSatisfy(isDigit) == false
  }

  private static func isLabel(_ label: Substring) -> Bool {
    let scalars = label.unicodeScalars
    return (1...labelMax).contains(scalars.count) && scalars.first != "-" && scalars.last != "-"
      && scalars.allSatisfy { scalar in
        guard scalar.isASCII else { return isLetter(scalar) }
        return isASCIIAlphanumeric(UInt8(truncatingIfNeeded: scalar.value)) || scalar == "-"
      }
  }

  /// Returns whether a scalar beyond ASCII is a letter, a part of a letter, or a digit.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      true
    default: false
    }
  }

  private static func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: isDigit(byte)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Returns whether a text is a telephone number of E.164 with its country code: "+" and 7 to 15
  /// digits, the first of which is not 0. Spaces, hyphens, dots, slashes and brackets may separate
  /// the digits.
  static func isPhone(_ text: String) -> Bool {
    guard text.first == "+" else { return false }
    let digits = text.dropFirst().filter { !" -.()/".contains($0) }
    return (7...15).contains(digits.count) && digits.first != "0" && digits.utf8.allSatisfy(isDigit)
  }
}
