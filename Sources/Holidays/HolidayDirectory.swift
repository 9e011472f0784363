internal import Glibc

/// The loaded holiday files and additional files. In this module, only this type reads the file
/// system.
package struct HolidayDirectory: Sendable {
  /// The files of the directory, with holidays by region.
  package private(set) var files: [CalendarFile] = []
  /// The files of days that the operator has added.
  package private(set) var extra: [CalendarFile] = []
  /// The problems of loading the files.
  private(set) var problems: [HolidayDiagnostic] = []

  private init() {}

  /// Creates a directory of files that are already in memory.
  package init(files: [CalendarFile], extra: [CalendarFile]) {
    self.files = files
    self.extra = extra
  }

  /// Loads every file in `directory` whose name ends in ".ics", in the order of names, and the
  /// files at `extra`.
  package static func load(_ directory: String, extra: [String]) -> HolidayDirectory {
    var loaded = HolidayDirectory()
    for path in loaded.paths(in: directory) {
      if let file = loaded.file(at: path) { loaded.files.append(file) }
    }
    for path in extra {
      if let file = loaded.file(at: path) { loaded.extra.append(file) }
    }
    return loaded
  }

  private mutating func paths(in directory: String) -> [String] {
    guard let stream = opendir(directory) else {
      report(directory, "cannot be listed: \(Self.reason); give a directory of .ics files")
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".ics"), !name.hasPrefix(".") { names.append(name) }
    }
    if names.isEmpty { report(directory, "has no .ics file; give a directory with .ics files") }
    return names.sorted().map { directory + "/" + $0 }
  }

  private mutating func file(at path: String) -> CalendarFile? {
    // Non-blocking, in case the path is a pipe without a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      report(path, "cannot be opened: \(Self.reason); give a file that can be read")
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      report(path, "is not a regular file; give an iCalendar file")
      return nil
    }
    guard let content = Self.content(of: descriptor) else {
      report(path, "cannot be read: \(Self.reason); give a file that can be read")
      return nil
    }
    return CalendarFile(path: path, content: content)
  }

  /// Returns the content of a file; nil, with `errno` set, on failure. For a file larger
  /// than ``CalendarFile/sizeMax``, returns only a beginning that is itself larger than that size.
  private static func content(of descriptor: Int32) -> [UInt8]? {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while content.count <= CalendarFile.sizeMax {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      content += chunk[..<count]
    }
    return content
  }

  private static var reason: String { String(cString: strerror(errno)) }

  private mutating func report(_ path: String, _ message: String) {
    problems.append(HolidayDiagnostic(file: path, message: message))
  }
}

/// A problem of a holiday file, with its position.
package struct HolidayDiagnostic: Error, Hashable, Sendable {
  package let file: String
  /// The number of the line; the first is 1, and 0 means the whole file.
  package let line: Int
  package let message: String

  package init(file: String, line: Int = 0, message: String) {
    self.file = file
    self.line = line
    self.message = message
  }
}

extension HolidayDiagnostic: CustomStringConvertible {
  package var description: String {
    line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)"
  }
}

/// All problems of the holiday files, not only the first.
package struct HolidayErrors: Error, Hashable, Sendable, CustomStringConvertible {
  package let diagnostics: [HolidayDiagnostic]

  package init(_ diagnostics: [HolidayDiagnostic]) {
    self.diagnostics = diagnostics
  }

  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// An iCalendar file (RFC 5545), not parsed yet.
package struct CalendarFile: Sendable {
  package let path: String
  package let content: [UInt8]

  /// The maximum size of a file, in bytes.
  static let sizeMax = 4 << 20

  package init(path: String, content: [UInt8]) {
    self.path = path
    self.content = content
  }

  /// The region that the file's name gives, such as "DE" for "/usr/share/chimed/holidays/de.ics";
  /// nil if the name is not a region's code.
  var region: RegionCode? {
    let name = path.split(separator: "/").last ?? ""
    return name.split(separator: ".").first.flatMap { RegionCode($0) }
  }
}
