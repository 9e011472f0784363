import Foundation
import TestSupport
import Testing

/// Keys and certificates, made by `openssl` for one test run.
struct TestCertificates {
  /// The kinds of server certificates. The authority has signed all except `selfSigned`.
  enum Kind: String, CaseIterable {
    case good
    case expired
    case otherName
    case selfSigned
  }

  let directory: TemporaryDirectory

  /// The path of the authority's certificate.
  var authority: String { directory.path + "/authority.pem" }
  var key: String { directory.path + "/key.pem" }

  func certificate(_ kind: Kind) -> String { directory.path + "/\(kind.rawValue).pem" }

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(Self.script, to: "make.sh")
    let child = try ChildProcess(["sh", "-c", "cd '\(directory.path)' && exec sh make.sh"])
    try #require(child.wait() == 0, "openssl failed; is it installed?")
  }

  private static let script = """
    set -e
    exec 2>messages
    curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    openssl req -x509 $curve -keyout authority.key -out authority.pem -days 2 -subj "/CN=Authority"
    openssl req $curve -keyout key.pem -out request -subj "/CN=peer"
    sign() {
      printf "subjectAltName=DNS:$2" >extensions
      openssl x509 -req -in request -CA authority.pem -CAkey authority.key -CAcreateserial \\
        -days $3 -extfile extensions -out $1.pem
    }
    sign good hooks.example 2
    sign expired hooks.example -1
    sign otherName other.example 2
    openssl req -x509 -key key.pem -out selfSigned.pem -days 2 -subj "/CN=hooks.example" \\
      -addext "subjectAltName=DNS:hooks.example"
    """
}
