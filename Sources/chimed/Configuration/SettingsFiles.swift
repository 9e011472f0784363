import Glibc
import Holidays
import Reminders

/// Reads the files of a configuration from the disk or from a saved copy, and records their
/// contents. The recorded contents suffice to read the same configuration again.
final class SettingsFiles {
  /// The saved contents by path; nil to read from the disk.
  private let saved: [String: [UInt8]]?
  /// The contents read so far, by path.
  private(set) var readContents: [String: [UInt8]] = [:]

  init(saved: [String: [UInt8]]? = nil) {
    self.saved = saved
  }

  /// Whether a file or directory exists. A saved copy has the directories that contain its files.
  func exists(_ path: String) -> Bool {
    guard let saved else { return access(path, F_OK) == 0 }
    return saved[path] != nil || saved.keys.contains { $0.hasPrefix(path + "/") }
  }

  /// Returns the text of a file, and records its contents.
  ///
  /// - Throws: why the file cannot be read; the diagnostic has no line.
  func text(at path: String) throws(Diagnostic) -> String {
    let bytes = try bytes(at: path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Diagnostic(file: path, message: "cannot be read as UTF-8 text")
    }
    readContents[path] = bytes
    return text
  }

  /// Reads the public holidays in a directory and further iCalendar files, and records their
  /// contents.
  func holidays(in directory: String, extra: [String]) throws(HolidayErrors) -> HolidayDatabase {
    let calendars = savedHolidays(in: directory, extra) ?? .load(directory, extra: extra)
    for file in calendars.files + calendars.extra { readContents[file.path] = file.content }
    return try HolidayDatabase(calendars)
  }

  private func bytes(at path: String) throws(Diagnostic) -> [UInt8] {
    if let saved {
      guard let bytes = saved[path] else {
        throw Diagnostic(file: path, message: "was missing when the configuration was saved")
      }
      return bytes
    }
    // Without O_NONBLOCK, opening a pipe would block until its other end is open.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw Self.unreadable(path, errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unreadable(path, errno) }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  private static func unreadable(_ path: String, _ code: Int32) -> Diagnostic {
    let message = code == ENOENT || code == ENOTDIR ? "there is no such file" : nil
    return Diagnostic(
      file: path, message: message ?? "cannot be read: \(String(cString: strerror(code)))")
  }

  private func savedHolidays(in directory: String, _ extra: [String]) -> HolidayDirectory? {
    guard let saved else { return nil }
    let paths = saved.keys.filter { path in
      path.hasPrefix(directory + "/") && path.hasSuffix(".ics")
        && !path.dropFirst(directory.utf8.count + 1).contains("/")
    }
    func files(_ paths: [String]) -> [CalendarFile] {
      paths.compactMap { path in saved[path].map { CalendarFile(path: path, content: $0) } }
    }
    return HolidayDirectory(files: files(paths.sorted()), extra: files(extra))
  }
}
