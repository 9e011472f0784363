import Glibc
import TestSupport

/// A directory for one test. The test has to remove the files that it creates there.
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
