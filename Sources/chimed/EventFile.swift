import CivilTime
import Foundation
import JSON
import Reminders

/// A file of events, one JSON object a line.
struct EventFile {
  /// Nil is standard input.
  let path: String?

  /// Every sound event in the file, and for every other line what is wrong with it.
  func events(_ reader: EventReader) throws -> (events: [Event], flaws: [LineFlaw]) {
    let bytes = try contents()
    let parser = JSONParser()
    var (events, flaws): ([Event], [LineFlaw]) = ([], [])
    bytes.withUnsafeBytes { buffer in
      for line in JSONLines(buffer) {
        let text = UnsafeRawBufferPointer(rebasing: buffer[line.range])
        do {
          events.append(try reader.event(try parser.parse(text), now: nil))
        } catch {
          flaws.append(LineFlaw(file: path ?? "standard input", line: line.number, cause: error))
        }
      }
    }
    return (events, flaws)
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

/// Why a line is no event that could be taken in.
struct LineFlaw: CustomStringConvertible {
  let file: String
  let line: Int
  let cause: any Error

  var description: String { "\(file):\(line): \(cause)" }
}
