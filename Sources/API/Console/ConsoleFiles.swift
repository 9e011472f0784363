import CConsole
import Cryptography
import HTTPTypes
import NIOCore

/// A file of the console, embedded in the program.
struct ConsoleFile: Sendable {
  /// The content type.
  let type: String
  let body: ByteBuffer
  /// The entity tag, a hash of the content, so browser caches stay valid across restarts.
  let tag: String

  /// All files by name.
  static let all: [String: ConsoleFile] = {
    var files: [String: ConsoleFile] = [:]
    var index = 0
    while let file = console_file(index)?.pointee {
      files[String(cString: file.name)] = ConsoleFile(file)
      index += 1
    }
    return files
  }()

  /// The file served at the console's path.
  static let page = "index.html"

  private init(_ file: console_file) {
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.length)
    type = Self.type(of: String(cString: file.name))
    body = ByteBuffer(bytes: bytes)
    let digest = SHA256.digest(Array(bytes))
    tag = "\"" + digest.prefix(12).map { String($0, radix: 36) }.joined(separator: "-") + "\""
  }

  /// Returns the content type of a file. Every file has a content type, so that browsers need not
  /// guess it.
  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}
