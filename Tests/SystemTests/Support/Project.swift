import Glibc

/// Paths of the programs under test and of the project's files.
enum Project {
  static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
  static let catalogs = root + "/config/catalogs"

  /// The directory of the programs: `$CHIMED_PROGRAMS`, or the directory of the running tests,
  /// where the build puts both.
  static let programs = variable("CHIMED_PROGRAMS") ?? directoryOfTests

  static var chimed: String { programs + "/chimed" }

  /// A tool that `make test` fetches.
  static func tool(_ name: String) -> String { root + "/.build/tools/" + name }

  /// Whether a file, directory or socket exists.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether a file exists and may be executed.
  static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Whether a program is on the path.
  static func isInstalled(_ program: String) -> Bool {
    let path = variable("PATH") ?? ""
    return path.split(separator: ":").contains { isExecutable($0 + "/" + program) }
  }

  static func hasTool(_ name: String) -> Bool { isExecutable(tool(name)) }

  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static var directoryOfTests: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let path = String(decoding: bytes, as: UTF8.self)
    return path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
  }
}
