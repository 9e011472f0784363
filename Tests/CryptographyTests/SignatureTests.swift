import Cryptography
import JSON
import TestSupport
import Testing

/// Signatures of JSON Web Tokens: the examples of the RFCs are valid, and forgeries are not.
@Suite struct SignatureTests {
  /// An example of an RFC: a token in the compact form, and the key that verifies it.
  struct Example: CustomTestStringConvertible {
    let scheme: SignatureScheme
    let token: String
    let key: @Sendable () -> PublicKey?

    var testDescription: String { scheme.rawValue }
    var message: [UInt8] { Array(token.prefix(upTo: end).utf8) }
    var signature: [UInt8] { base64URL(String(token.suffix(from: end).dropFirst())) }
    private var end: String.Index { token.lastIndex(of: ".") ?? token.endIndex }
  }

  static let claims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
    + "VlfQ"
  static let modulus = base64URL(
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0B"
      + "m4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXn"
      + "dS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5"
      + "IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ")
  static let point =
    base64URL("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    + base64URL("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")

  /// RFC 7515, appendices A.2 and A.3; RFC 8037, appendix A.4.
  static let examples = [
    Example(
      scheme: .rs256,
      token: "eyJhbGciOiJSUzI1NiJ9.\(claims)."
        + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
        + "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIA"
        + "RNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPq"
        + "vhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77"
        + "Rw"
    ) { PublicKey(modulus: modulus, exponent: [1, 0, 1]) },
    Example(
      scheme: .es256,
      token: "eyJhbGciOiJFUzI1NiJ9.\(claims)."
        + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    ) { PublicKey(p256: [4] + point) },
    Example(
      scheme: .edDSA,
      token: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
        + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    ) { PublicKey(ed25519: base64URL("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")) },
  ]

  @Test(arguments: examples)
  func `the signature of an RFC's example is valid`(example: Example) throws {
    let key = try #require(example.key())
    #expect(key.verifies(example.signature, of: example.message, by: example.scheme))
  }

  @Test(arguments: examples)
  func `a changed signature or text is not valid`(example: Example) throws {
    let key = try #require(example.key())
    func verifies(_ signature: [UInt8]) -> Bool {
      key.verifies(signature, of: example.message, by: example.scheme)
    }
    let signature = example.signature
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(!verifies(changed))
    }
    for count in [0, 1, signature.count - 1] { #expect(!verifies(Array(signature.prefix(count)))) }
    #expect(!verifies(signature + [0]) && !verifies([0] + signature))
    #expect(!verifies([UInt8](repeating: 0, count: signature.count)))
    #expect(!verifies([UInt8](repeating: 0xff, count: signature.count)))
    #expect(!key.verifies(signature, of: example.message + [0], by: example.scheme))
    #expect(!key.verifies(signature, of: [], by: example.scheme))
    for scheme in SignatureScheme.allCases where scheme != example.scheme {
      #expect(!key.verifies(signature, of: example.message, by: scheme))
    }
  }

  /// Numbers that are 0, or not below the order of the group, make no signature (FIPS 186-5).
  @Test func `an elliptic signature with a number out of range is not valid`() throws {
    let example = Self.examples[1]
    let key = try #require(example.key())
    let (r, s) = (Array(example.signature.prefix(32)), Array(example.signature.suffix(32)))
    let zero = [UInt8](repeating: 0, count: 32)
    for signature in [zero + s, r + zero, order + s, r + order, zero + zero, s + r] {
      #expect(!key.verifies(signature, of: example.message, by: .es256))
    }
  }

  /// The signature in another form: its number plus the order of the group (RFC 8032, section
  /// 5.1.7).
  @Test func `an Edwards signature with a number out of range is not valid`() throws {
    let example = Self.examples[2]
    let key = try #require(example.key())
    let order = Array(
      hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed").reversed())
    var (signature, carry) = (example.signature, 0)
    for index in 0..<32 {
      carry += Int(signature[32 + index]) + Int(order[index])
      signature[32 + index] = UInt8(carry & 0xff)
      carry >>= 8
    }
    #expect(carry == 0)
    #expect(!key.verifies(signature, of: example.message, by: .edDSA))
  }

  // MARK: - Keys

  @Test func `a weak or malformed key is refused`() {
    let modulus = Self.modulus
    #expect(PublicKey(modulus: Array(modulus.prefix(255)), exponent: [1, 0, 1]) == nil)
    for exponent in [[], [0], [1], [2], [1, 0, 0], [3, 0, 0, 0, 1]] as [[UInt8]] {
      #expect(PublicKey(modulus: modulus, exponent: exponent) == nil, "\(exponent)")
    }
    let huge = [UInt8](repeating: 0xff, count: 2_049)
    #expect(PublicKey(modulus: huge, exponent: [1, 0, 1]) == nil)
    #expect(PublicKey(modulus: [], exponent: [1, 0, 1]) == nil)
    #expect(PublicKey(modulus: modulus.dropLast() + [0], exponent: [1, 0, 1]) == nil)
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let points: [[UInt8]] = [
      [], [0], [4] + one + one, [2] + one, [4] + Self.point.dropLast(), Self.point,
    ]
    for point in points { #expect(PublicKey(p256: point) == nil) }
    #expect(PublicKey(ed25519: []) == nil)
    for scalar in [[], one.dropLast(), [UInt8](repeating: 0, count: 32), order] {
      #expect(PrivateKey(p256: scalar) == nil)
    }
    #expect(PrivateKey(p256: one)?.point.prefix(4) == [4, 0x6b, 0x17, 0xd1])
  }

  @Test(arguments: ["", "HUSH", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
  func `a text without a key is refused`(text: String) {
    #expect(PublicKey(pem: text) == nil && PrivateKey(pem: Secret(text)) == nil)
  }

  /// `openssl` creates the keys.
  @Test(arguments: SignatureScheme.allCases)
  func `a key from another program signs and verifies`(scheme: SignatureScheme) throws {
    let options =
      switch scheme.kind {
      case .rsa: "RSA -pkeyopt rsa_keygen_bits:2048"
      case .p256: "EC -pkeyopt ec_paramgen_curve:P-256"
      case .ed25519: "ed25519"
      }
    let directory = try TemporaryDirectory()
    try directory.run(
      """
      openssl genpkey -algorithm \(options) -out key
      openssl pkey -in key -pubout -out public
      openssl pkey -in key -aes256 -passout pass:secret -out locked
      """)
    let key = try #require(PrivateKey(pem: Secret(directory.text(of: "key"))))
    let publicKey = try #require(PublicKey(pem: directory.text(of: "public")))
    #expect(key.kind == scheme.kind && publicKey.kind == scheme.kind)
    #expect(try PrivateKey(pem: Secret(directory.text(of: "locked"))) == nil)
    #expect(try PrivateKey(pem: Secret(directory.text(of: "public"))) == nil)
    // A text with two keys is ambiguous.
    let (privateText, publicText) = (
      try directory.text(of: "key"), try directory.text(of: "public")
    )
    #expect(
      PrivateKey(pem: Secret(privateText + privateText)) == nil
        && PublicKey(pem: publicText + publicText) == nil)
    for text in ["", "a", String(repeating: "b", count: 100_000)] {
      let bytes = Array(text.utf8)
      let signature = try #require(key.signature(of: bytes, by: scheme))
      #expect(publicKey.verifies(signature, of: bytes, by: scheme))
      #expect(!publicKey.verifies(signature, of: bytes + [0], by: scheme))
    }
    for other in SignatureScheme.allCases where other.kind != scheme.kind {
      #expect(key.signature(of: [], by: other) == nil)
    }
    #expect("\(key)" == "(a private key)")
  }

  @Test(arguments: ["RSA -pkeyopt rsa_keygen_bits:1024", "EC -pkeyopt ec_paramgen_curve:P-384"])
  func `a key of another kind is refused`(options: String) throws {
    let directory = try TemporaryDirectory()
    try directory.run(
      "openssl genpkey -algorithm \(options) -out key; openssl pkey -in key -pubout -out public")
    #expect(try PrivateKey(pem: Secret(directory.text(of: "key"))) == nil)
    #expect(try PublicKey(pem: directory.text(of: "public")) == nil)
  }

  /// The private key of the curve P-256 (SEC 1) has the point of another key, or the scalar 0.
  @Test(arguments: ["c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721", "00"])
  func `a private key whose parts do not belong together is refused`(scalar: String) throws {
    let number = String(repeating: "0", count: 64 - scalar.count) + scalar
    let der = hex(
      "307702010104" + "20" + number + "a00a06082a8648ce3d030107a144034200"
        + "04" + Self.point.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined())
    let directory = try TemporaryDirectory()
    try directory.write(der, to: "der")
    try directory.run(
      """
      { echo '-----BEGIN EC PRIVATE KEY-----'; openssl base64 -in der
      echo '-----END EC PRIVATE KEY-----'; } >pem
      """)
    #expect(try PrivateKey(pem: Secret(directory.text(of: "pem"))) == nil)
  }

  /// RFC 8017, section 8.1.2: a signature is as long as the modulus.
  @Test func `a PS256 signature without its leading zero is not valid`() throws {
    let directory = try TemporaryDirectory()
    try directory.run("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key")
    try directory.run("openssl pkey -in key -pubout -out public")
    let key = try #require(PrivateKey(pem: Secret(directory.text(of: "key"))))
    let publicKey = try #require(PublicKey(pem: directory.text(of: "public")))
    // One signature in 256 begins with a zero.
    for _ in 0..<10_000 {
      let signature = try #require(key.signature(of: [1], by: .ps256))
      guard signature[0] == 0 else { continue }
      #expect(publicKey.verifies(signature, of: [1], by: .ps256))
      #expect(!publicKey.verifies(Array(signature.dropFirst()), of: [1], by: .ps256))
      return
    }
    Issue.record("no signature begins with a zero")
  }

  /// A key that is limited to RSASSA-PSS (RFC 4055).
  @Test func `a public key limited to PS256 verifies no other scheme`() throws {
    let directory = try TemporaryDirectory()
    try directory.run(
      """
      openssl genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -out key
      openssl pkey -in key -pubout -out public; printf text >text
      openssl dgst -sha256 -sign key -sigopt rsa_pss_saltlen:32 -out signature text
      """)
    let publicKey = try #require(PublicKey(pem: directory.text(of: "public")))
    let signature = Array(try directory.content(of: "signature"))
    #expect(publicKey.verifies(signature, of: Array("text".utf8), by: .ps256))
    #expect(!publicKey.verifies(signature, of: Array("text".utf8), by: .rs256))
    #expect(try PrivateKey(pem: Secret(directory.text(of: "key"))) == nil)
  }

  @Test func `two owners agree on a secret`() throws {
    let (one, other) = (try #require(PrivateKey.random()), try #require(PrivateKey.random()))
    let secret = one.secret(sharedWith: try #require(PublicKey(p256: other.point)))
    let same = other.secret(sharedWith: try #require(PublicKey(p256: one.point)))
    #expect(secret?.count == 32)
    #expect(secret?.withBytes(Array.init) == same?.withBytes(Array.init))
    #expect(one.point != other.point)
    let rsa = try #require(PublicKey(modulus: Self.modulus, exponent: [1, 0, 1]))
    #expect(one.secret(sharedWith: rsa) == nil)
  }
}

/// The order of the group of the curve P-256 (FIPS 186-5).
private let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
