import Glibc

/// `chimectl` as scripts run it.
struct Chimectl {
  let socket: String

  struct Result {
    var ending: ChildProcess.Ending
    var output: String
    var errors: String
  }

  /// The path of a link to the service's executable. The first use creates the link, because
  /// `swift build` does not.
  static let program: String = {
    let path = Project.programs + "/chimectl"
    unlink(path)
    symlink("chimed", path)
    return path
  }()

  func run(_ arguments: [String]) throws -> Result {
    try Self.finish(ChildProcess(Self.program, arguments + ["--socket", socket]))
  }

  /// Runs `chimectl` with its standard output in a file.
  func run(_ arguments: [String], into file: String) throws -> Result {
    let script = "file=$1; shift; exec \"$@\" >\"$file\""
    return try Self.finish(
      ChildProcess(
        "/bin/sh",
        ["-c", script, "sh", file, Self.program] + arguments + ["--socket", socket]))
  }

  static func finish(_ process: ChildProcess) throws -> Result {
    let ending = try process.finish()
    return Result(
      ending: ending, output: String(decoding: process.output.take(), as: UTF8.self),
      errors: String(decoding: process.errors.take(), as: UTF8.self))
  }
}
