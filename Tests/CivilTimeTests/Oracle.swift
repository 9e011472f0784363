import Glibc

/// Runs the script `zoneinfo_oracle.py` of this directory. The script documents its output.
struct Oracle {
  enum Failure: Error, CustomStringConvertible {
    case cannotRun(String)
    case failed(status: Int32)
    case malformed(offset: Int)

    var description: String {
      switch self {
      case .cannotRun(let reason): "cannot run the oracle: \(reason)"
      case .failed(let status) where status == 127:
        "this test compares with Python's zoneinfo, but there is no python3: install python3"
      case .failed(let status):
        "zoneinfo_oracle.py failed with status \(status); its message is on standard error"
      case .malformed(let offset):
        "the output of zoneinfo_oracle.py is not as documented at byte \(offset)"
      }
    }
  }

  /// The zone database that the script reads.
  let directory: String
  /// The number of minutes between compared local times.
  let stepMinutes: Int
  /// The number of hours between the instants that are compared to find changes of clocks.
  let scanHours: Int

  /// Returns the script's whole output.
  func run() throws -> [UInt8] {
    let script = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let words = [
      "python3", script + "/zoneinfo_oracle.py", directory, "\(stepMinutes)", "\(scanHours)",
    ]
    let command = words.map { "'" + $0 + "'" }.joined(separator: " ")
    guard let pipe = popen("exec " + command, "r") else {
      throw Failure.cannotRun(String(cString: strerror(errno)))
    }
    let output = Self.readAll(pipe)
    let status = pclose(pipe)
    guard status == 0 else { throw Failure.failed(status: status >> 8) }
    return output
  }

  private static func readAll(_ pipe: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = fread(&chunk, 1, chunk.count, pipe)
      guard count > 0 else { return output }
      output += chunk[..<count]
    }
  }
}
