import CivilTime
import Foundation
import JSON
import Reminders

/// A file of events, one JSON object a line.
struct EventFile {
  /// Nil is standard input.
  let path: String?

  /// Every event in the file; the first that is not sound is an error that names its line.
  func events(_ reader: EventReader) throws -> [Event] {
    let bytes = try contents()
    let parser = JSONParser()
    return try bytes.withUnsafeBytes { buffer in
      try JSONLines(buffer).map { line in
        let text = UnsafeRawBufferPointer(rebasing: buffer[line.range])
        do {
          return try reader.event(try parser.parse(text), now: nil)
        } catch {
          throw EventFileError(file: path ?? "standard input", line: line.number, cause: error)
        }
      }
    }
  }

  private func contents() throws -> Data {
    guard let path else { return FileHandle.standardInput.readDataToEndOfFile() }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw UnreadableFile(path: path)
    }
    return data
  }
}

struct UnreadableFile: Error, CustomStringConvertible {
  let path: String

  var description: String { "\(path) cannot be read; give a file of events, one a line" }
}

struct EventFileError: Error, CustomStringConvertible {
  let file: String
  let line: Int
  let cause: any Error

  var description: String { "\(file):\(line): \(cause)" }
}
