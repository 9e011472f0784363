import Foundation
import JSON
import TestSupport
import Testing

@Suite struct Base64URLTests {
  @Test(arguments: 0...66) func `encoded bytes are decoded to the same bytes`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + 7) }
    let text = Base64URL.encoded(bytes)
    let standardBase64 = Data(bytes).base64EncodedString()
    #expect(
      text
        == standardBase64.replacing("+", with: "-").replacing("/", with: "_").replacing(
          "=", with: ""))
    #expect(Base64URL.decoded(text) == bytes)
    #expect(Base64URL.decodedLeniently(text) == bytes)
    #expect(Base64URL.decodedLeniently(standardBase64) == bytes)
  }

  @Test(arguments: ["AA==", "AB", "A", "A+", "A/", "A A", "é"])
  func `strict decoding rejects padding, other alphabets and stray bits`(text: String) {
    #expect(Base64URL.decoded(text) == nil)
  }

  @Test(arguments: ["A=A=", "=", "AB=\u{301}", "A+\u{301}", "A/\u{301}", "AA\r\n", "A+=-"])
  func `H8: lenient decoding compares bytes, not characters`(text: String) {
    let isPadding = text == "="
    #expect(Base64URL.decodedLeniently(text) == (isPadding ? [] : nil))
  }

  @Test func `H8: a mebibyte of plain base64 is decoded leniently`() {
    let bytes = (0..<786_431).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ $0 >> 8) }
    let standardBase64 = Data(bytes).base64EncodedString()
    #expect(
      standardBase64.hasSuffix("=") && standardBase64.contains("+") && standardBase64.contains("/"))
    #expect(Base64URL.decodedLeniently(standardBase64) == bytes)
  }

  /// The oracle is Foundation's base64, after the missing padding is added.
  @Test func `lenient decoding accepts exactly what plain base64 accepts`() {
    let letters = Array("AB/+-_*é")
    for number in 0..<letters.count * letters.count * letters.count * letters.count * 16 {
      let word = [512, 64, 8, 1].map { letters[number / 16 / $0 % letters.count] }
      let text = String(word.prefix(number % 4 + 1)) + String(repeating: "=", count: number / 4 % 4)
      let standardBase64 = text.replacing("-", with: "+").replacing("_", with: "/")
      let padding = String(repeating: "=", count: (4 - standardBase64.count % 4) % 4)
      let expected = Data(base64Encoded: standardBase64 + padding).map { Array($0) }
      #expect(Base64URL.decodedLeniently(text) == expected, "\(text)")
    }
  }
}
