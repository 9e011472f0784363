extension SinkSettings {
  /// A text of letters, digits and a few signs, as names at push services are.
  mutating func plainName(_ key: String) -> String? {
    guard let name = text(key) else { return nil }
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: ".-_".utf8.contains(byte)
      }
    }
    guard isPlain, (1...128).contains(name.utf8.count) else {
      refuse(key, "must be of letters, digits, \".\", \"-\" and \"_\"")
      return nil
    }
    return name
  }
}
