/// Whether a text can be an address at all: a sink would learn it with every message anew.
enum AddressShape {
  /// As RFC 5321 writes it: a local part of 1 to 64 bytes, "@", and a host name or an address in
  /// brackets; 254 bytes in all. Letters of every language are taken (RFC 6531).
  static func isEmail(_ text: String) -> Bool {
    guard text.utf8.count <= 254, let at = text.lastIndex(of: "@") else { return false }
    let (local, host) = (text[..<at], text[text.index(after: at)...])
    return (1...64).contains(local.utf8.count) && isLocalPart(local) && isHost(host)
  }

  private static func isLocalPart(_ text: Substring) -> Bool {
    if text.count > 2, text.first == "\"", text.last == "\"" { return true }
    return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty && atom.allSatisfy { isWordCharacter($0) || "!#$%&'*+-/=?^_`{|}~".contains($0) }
    }
  }

  private static func isHost(_ text: Substring) -> Bool {
    if text.count > 2, text.first == "[", text.last == "]" { return true }
    return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.allSatisfy { isWordCharacter($0) || $0 == "-" }
    }
  }

  private static func isWordCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }

  /// As E.164 has it, with the country: "+" and 7 to 15 digits, between which there may be spaces,
  /// hyphens, dots and brackets.
  static func isPhone(_ text: String) -> Bool {
    guard text.first == "+" else { return false }
    let rest = text.dropFirst().filter { !" -.()/".contains($0) }
    return (7...15).contains(rest.count) && rest.first != "0"
      && rest.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
