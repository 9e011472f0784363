import Cryptography
import JSON
import TestSupport
import Testing

/// Hashes, codes and encryption, compared with the vectors of their standards.
@Suite struct HashTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `a text has the digest of FIPS 180-4`(text: String, digest: String) {
    #expect(SHA256.digest(Array(text.utf8)) == hex(digest))
  }

  /// RFC 4231, test cases 1, 2 and 6. The key of case 6 is longer than a block.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `a message has the code of RFC 4231`(key: [UInt8], message: String, code: String) {
    let (message, other) = (Array(message.utf8), Secret(key + [1]))
    let key = Secret(key)
    #expect(MessageCode.code(of: message, key: key) == hex(code))
    #expect(MessageCode.isValid(hex(code), of: message, key: key))
    #expect(!MessageCode.isValid(hex(code).dropLast(), of: message, key: key))
    #expect(!MessageCode.isValid(hex(code), of: message + [0], key: key))
    #expect(!MessageCode.isValid(hex(code), of: message, key: other))
  }

  @Test func `a message has the SHA-1 code of RFC 2202`() {
    let message = Array("what do ya want for nothing?".utf8)
    #expect(
      MessageCode.sha1Code(of: message, key: Secret("Jefe"))
        == hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
  }

  /// RFC 5869, appendices A.1 and A.3. A.3 has no salt.
  @Test(arguments: [
    (
      "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      "", "",
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ])
  func `a derived key equals the key of RFC 5869`(salt: String, info: String, key: String) {
    let secret = Secret([UInt8](repeating: 0x0b, count: 22))
    let derived = secret.derived(salt: hex(salt), info: hex(info), count: 42)
    #expect(derived.withBytes(Array.init) == hex(key))
  }

  @Test func `an empty message and an empty key have a code`() {
    let code = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    #expect(MessageCode.code(of: [], key: Secret([])) == hex(code))
  }

  // MARK: - AES-GCM

  /// Test cases 3 and 15 of the specification of GCM.
  @Test(arguments: [
    (
      1,
      "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
        + "4d5c2af327cd64a62cf35abd2ba6fab4"
    ),
    (
      2,
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
        + "b094dac5d93471bdec1a502270e3cc6c"
    ),
  ])
  func `a text is encrypted as in the specification of GCM`(keyHalves: Int, sealed: String) {
    let half = hex("feffe9928665731c6d6a8f9467308308")
    let key = Secret(Array(repeating: half, count: keyHalves).flatMap(\.self))
    let text = hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255")
    let result = SealedText(sealing: text, key: key, nonce: hex("cafebabefacedbaddecaf888"))
    #expect(result.bytes == hex(sealed))
    #expect(result.opened(key: key) == text)
  }

  @Test(arguments: [0, 1, 16, 100])
  func `a changed text is not decrypted`(count: Int) throws {
    let (key, nonce) = (Secret([UInt8](0..<32)), [UInt8](0..<12))
    let text = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let sealed = SealedText(sealing: text, key: key, nonce: nonce)
    let combined = sealed.nonce + sealed.bytes
    #expect(SealedText(combined)?.opened(key: key) == text)
    for index in combined.indices {
      var changed = combined
      changed[index] ^= 1
      #expect(SealedText(changed)?.opened(key: key) == nil)
    }
    #expect(SealedText(combined.dropLast())?.opened(key: key) == nil)
    #expect(sealed.opened(key: Secret([UInt8](1..<33))) == nil)
    #expect(sealed.opened(key: Secret([])) == nil)
    #expect(SealedText([UInt8](repeating: 0, count: 27)) == nil)
  }
}
