import CConsole
import Crypto
import HTTPTypes
import NIOCore

/// A file of the console as it is sent: a part of the program.
struct ConsoleFile: Sendable {
  let type: String
  let body: ByteBuffer
  /// Of its content alone, so that a browser keeps what has not changed over restarts.
  let tag: String

  /// By its name; each file once.
  static let all: [String: ConsoleFile] = {
    var files: [String: ConsoleFile] = [:]
    var index = 0
    while let file = console_file(index)?.pointee {
      files[String(cString: file.name)] = ConsoleFile(file)
      index += 1
    }
    return files
  }()

  /// What the address of the console itself shows.
  static let page = "index.html"

  private init(_ file: console_file) {
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.length)
    type = Self.type(of: String(cString: file.name))
    body = ByteBuffer(bytes: bytes)
    let digest = SHA256.hash(data: UnsafeRawBufferPointer(bytes))
    tag = "\"" + digest.prefix(12).map { String($0, radix: 36) }.joined(separator: "-") + "\""
  }

  /// Nothing that a browser would have to guess.
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
