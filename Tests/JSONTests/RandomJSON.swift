import JSON
import TestSupport

/// Generates documents of every shape: nested, empty, with odd keys, extreme numbers and any text.
struct RandomJSON {
  var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  mutating func value(depth: Int = 4) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2: .integer(integer())
    case 3: .number(number())
    case 4, 5: .string(string())
    case 6: .array((0..<size()).map { _ in value(depth: depth - 1) })
    default: .object(object(depth: depth - 1))
    }
  }

  mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<size() { object[string()] = value(depth: depth) }
    return object
  }

  private mutating func size() -> Int {
    Int.random(in: 0..<10, using: &generator) == 0
      ? Int.random(in: 17...40, using: &generator) : Int.random(in: 0...5, using: &generator)
  }

  private mutating func integer() -> Int64 {
    let extremes: [Int64] = [.min, .max, 0, -1, 9, 10, 99, 100, 1_000_000_000_000_000_000]
    return Bool.random(using: &generator)
      ? extremes.randomElement(using: &generator) ?? 0
      : Int64(truncatingIfNeeded: generator.next() >> generator.next() % 64)
  }

  private mutating func number() -> Double {
    let double = Double(bitPattern: generator.next())
    return double.isFinite ? double : -0.0
  }

  mutating func string() -> String {
    let alphabet = Array(
      "abcXYZ019 \"\\/{}[]:,\u{0}\u{1}\u{8}\u{c}\n\r\t\u{1f}\u{7f}é€\u{2028}\u{301}🎂")
    let length = Int.random(in: 0...20, using: &generator)
    return String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
  }

  /// Returns the bytes with one of them changed, removed or doubled, or only the bytes before a
  /// random offset.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let index = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
    case 1: bytes[index] = Array("{}[]:,\"\\tfn0-e. ".utf8).randomElement(using: &generator) ?? 0
    case 2: bytes.remove(at: index)
    case 3: bytes.insert(bytes[index], at: index)
    default: bytes.removeSubrange(index...)
    }
    return bytes
  }
}
