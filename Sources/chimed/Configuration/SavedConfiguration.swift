import CivilTime
import JSON
import Reminders

/// The last valid configuration that was in use (rule S6). The texts of all its files are stored in
/// one file of the state directory, which only the service can read. Secrets do not belong in a
/// configuration (rule S4), and so they are not in this file either.
struct SavedConfiguration {
  /// When the configuration was saved.
  let at: Instant
  /// The content of each file, by path.
  let files: [String: [UInt8]]

  static func path(in stateDirectory: String) -> String { stateDirectory + "/configuration.json" }

  /// Returns the saved configuration.
  ///
  /// - Throws: the reason why the saved configuration cannot be read, such as that there is none.
  static func read(from stateDirectory: String) throws(Diagnostic) -> SavedConfiguration {
    let path = path(in: stateDirectory)
    let text = try SettingsFiles().text(at: path)
    let document: JSONValue
    do {
      document = try JSONParser(maximumBytes: .max).parse(text)
    } catch {
      throw Diagnostic(file: path, message: "is damaged: \(error)")
    }
    guard let at = document["at"]?.stringValue.flatMap({ Instant($0) }),
      let files = document["files"]?.objectValue
    else { throw Diagnostic(file: path, message: "is damaged") }
    let contents = files.map { ($0.key, Array(($0.value.stringValue ?? "").utf8)) }
    return SavedConfiguration(
      at: at, files: Dictionary(contents, uniquingKeysWith: { first, _ in first }))
  }

  /// Saves the configuration atomically, unless the same files are already saved.
  ///
  /// - Throws: why the file could not be written. The previous file is then unchanged, unless only
  ///   the sync of its directory failed.
  func save(in stateDirectory: String) throws(Diagnostic) {
    if let saved = try? Self.read(from: stateDirectory), saved.files == files { return }
    try StateFile.replace(Self.path(in: stateDirectory), in: stateDirectory, with: document)
  }

  /// The contents of the file. Invalid UTF-8, which only comments can contain, is replaced.
  private var document: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("at", at.description)
    writer.key(constant: "files")
    writer.beginObject()
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      writer.key(path)
      writer.value(String(decoding: bytes, as: UTF8.self))
    }
    writer.endObject()
    writer.endObject()
    writer.endLine()
    return writer.bytes
  }
}
