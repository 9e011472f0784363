import Glibc
import TestSupport

/// A directory that lasts as long as a test; what the test makes in it, the test removes.
enum TemporaryDirectory {
  struct CannotBeMade: Error {}

  static func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    var template = Array("/tmp/chimed-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CannotBeMade() }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { remove(path) }
    return try await body(path)
  }
}
