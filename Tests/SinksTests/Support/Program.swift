import Foundation
import Sinks
import TestSupport

/// A script that a sink can start.
///
/// The sink starts a link to the interpreter, and not the script itself: a file that was just
/// written may still be open in a process that another test starts, and then cannot be executed.
final class Program {
  enum Interpreter: String {
    case shell = "/bin/sh"
    case python = "/usr/bin/python3"
  }

  let directory: TemporaryDirectory
  private let interpreter: Interpreter

  init(
    _ script: String, _ interpreter: Interpreter = .shell
  ) throws {
    directory = try TemporaryDirectory()
    self.interpreter = interpreter
    try directory.write(script, to: "script")
    try createFile()
  }

  var path: String { directory.path + "/program" }

  func command(environment: [String] = []) -> ProgramCommand {
    ProgramCommand(path, [directory.path + "/script"], environment: environment)
  }

  func createFile() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: interpreter.rawValue)
  }

  func removeFile() throws { try FileManager.default.removeItem(atPath: path) }

  /// The lines of a file that the script has written beside itself.
  func lines(of name: String) -> [String] {
    let text = (try? directory.text(of: name)) ?? ""
    return text.utf8.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
