import Glibc
import Holidays

/// Runs the script `holidays_oracle.py` of the directory above. The script documents its output.
enum Oracle {
  enum Failure: Error, CustomStringConvertible {
    case cannotRun(String)
    case failed(status: Int32)

    var description: String {
      switch self {
      case .cannotRun(let reason): "cannot run the oracle: \(reason)"
      case .failed(let status) where status == 127:
        "this test compares with a script in Python, but there is no python3: install python3"
      case .failed(let status):
        "holidays_oracle.py failed with status \(status); its message is on standard error"
      }
    }
  }

  /// Returns the lines "2026-01-01 name" of each region's dates, in order.
  static func days(inFilesOf directory: String) throws -> [String: [String]] {
    var days: [String: [String]] = [:]
    for line in try run(on: directory).split(separator: "\n") {
      let fields = line.split(separator: "\t", maxSplits: 2).map(String.init)
      days[fields[0], default: []].append(fields[1] + " " + fields[2])
    }
    return days
  }

  /// Returns the same lines for a calendar that the module `Holidays` has read.
  static func days(of calendar: HolidayCalendar) -> [String] {
    calendar.dates.map { "\($0) \(calendar.name(of: $0) ?? "")" }
  }

  private static func run(on directory: String) throws -> String {
    let folder = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    let script = "python3 -B '\(folder)/holidays_oracle.py' '\(directory)'/*.ics"
    guard let pipe = popen(script, "r") else {
      throw Failure.cannotRun(String(cString: strerror(errno)))
    }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = fread(&chunk, 1, chunk.count, pipe)
      guard count > 0 else { break }
      output += chunk[..<count]
    }
    let status = pclose(pipe)
    guard status == 0 else { throw Failure.failed(status: status >> 8) }
    return String(decoding: output, as: UTF8.self)
  }
}
