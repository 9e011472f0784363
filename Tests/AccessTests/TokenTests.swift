import Access
import CivilTime
import TestSupport
import Testing

@Suite struct TokenTests {
  private let now = Instant(milliseconds: 1_772_416_800_000)

  private func record(
    _ secret: TokenSecret, expiry: Instant? = nil, revoked: Instant? = nil
  ) -> TokenRecord {
    TokenRecord(
      identifier: secret.identifier, name: "test", scope: .administrator, digest: secret.digest,
      created: now, expiry: expiry, revoked: revoked)
  }

  @Test func `a token is read as it was revealed and matches its record`() throws {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<100 {
      let original = TokenSecret(using: &generator)
      let copy = try #require(TokenSecret(original.reveal()))
      #expect(copy.identifier == original.identifier)
      #expect(copy.matches(record(original)))
    }
  }

  @Test func `every letter of the secret matters`() throws {
    var generator = SplitMix64(seed: 2)
    let record = record(TokenSecret(using: &generator))
    let text = Array(TokenSecret(using: &generator).reveal().utf8)
    let valid = try #require(TokenSecret(String(decoding: text, as: UTF8.self)))
    #expect(!valid.matches(record))
    for index in (text.count - 52)..<text.count {
      var changedText = text
      changedText[index] = text[index] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
      let secret = try #require(TokenSecret(String(decoding: changedText, as: UTF8.self)))
      #expect(!secret.matches(self.record(valid)))
    }
  }

  @Test func `a text that is not a token is rejected`() {
    var generator = SplitMix64(seed: 3)
    let text = TokenSecret(using: &generator).reveal()
    for wrong in [
      "", "chimed_", String(text.dropLast()), text + "a", text.uppercased(), " " + text,
      text.replacing("_", with: "-"), String(text.dropLast()) + "1",
    ] {
      #expect(TokenSecret(wrong) == nil)
    }
  }

  /// Logs, dumps and error messages must not contain the secret.
  @Test func `a printed or dumped token does not show its secret`() throws {
    var generator = SplitMix64(seed: 4)
    let token = TokenSecret(using: &generator)
    let secret = String(token.reveal().suffix(52))
    var dumped = ""
    dump(token, to: &dumped)
    dump([token], to: &dumped)
    let texts = [
      "\(token)", String(describing: token), String(reflecting: token), "\([token])",
      "\(Optional(token) as Any)", dumped,
    ]
    #expect(texts.allSatisfy { !$0.contains(secret) })
    let bytes = Array(secret.utf8).map(String.init).joined(separator: ", ")
    #expect(texts.allSatisfy { !$0.contains(bytes) })
  }

  @Test func `a token is valid until it expires or is revoked`() {
    var generator = SplitMix64(seed: 5)
    let secret = TokenSecret(using: &generator)
    let later = now + .hours(1)
    #expect(record(secret).standing(at: now) == .valid)
    #expect(record(secret, expiry: later).standing(at: later - .milliseconds(1)) == .valid)
    #expect(record(secret, expiry: later).standing(at: later) == .expired(later))
    #expect(record(secret, expiry: later, revoked: now).standing(at: later) == .revoked(now))
  }
}
