import CivilTime
import Engine
import JSON
import Reminders
import Systemd

/// Reports which configuration is in use, and saves the last valid one (rule S6).
struct ConfigurationKeeper: Sendable {
  /// The directory of the saved configuration; nil saves none.
  let place: String?
  let journal: Journal
  let board: StatusBoard

  /// Reports the configuration after a start has applied it.
  func begin(_ start: StartConfiguration) {
    remark(on: start.candidate)
    if let substitution = start.substitution {
      report(substitution)
    } else if start.isSound {
      keep(start.candidate)
    }
  }

  /// Saves the configuration and waits for the disk, unless the same one is already saved.
  func keep(_ candidate: Candidate) {
    guard let place else { return }
    do {
      try KeptConfiguration(at: WallClock.now(), files: candidate.files).keep(in: place)
    } catch {
      journal.send(
        message: "the configuration is in use, but could not be saved as the fallback for one that "
          + "is invalid: \(error)",
        priority: .warning)
    }
  }

  /// Adds a remark to the status if no catalog is configured.
  func remark(on candidate: Candidate) {
    let isNone = candidate.setup.planning.catalog.isEmpty
    board.remark(on: "catalogs", isNone ? "no catalog is configured, so nothing is sent" : nil)
  }

  private func report(_ substitution: StartConfiguration.Substitution) {
    let faults = "\(substitution.flaws)"
    let names = substitution.credentials.joined(separator: ", ")
    let secrets = names.isEmpty ? "" : "\nit uses the current secrets: \(names)"
    let what = "the configuration is invalid; the one saved at \(substitution.at) is in use"
    board.remark(on: StatusBoard.reload, "\(what): \(faults)")
    journal.send(
      .configurationReplaced, "\(what): \(faults)\(secrets)", fields: [(.reason, faults)])
  }
}

/// The last valid configuration that was in use: the text of each of its files, in one file of the
/// state directory that only the service can read (rule S6). It contains no secrets, because
/// configurations contain none.
struct KeptConfiguration {
  /// When it was saved.
  let at: Instant
  /// The content of each file, by path.
  let files: [String: [UInt8]]

  static func path(in stateDirectory: String) -> String { stateDirectory + "/configuration.json" }

  /// - Throws: why there is none.
  static func read(from stateDirectory: String) throws(Diagnostic) -> KeptConfiguration {
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
    return KeptConfiguration(
      at: at, files: Dictionary(contents, uniquingKeysWith: { first, _ in first }))
  }

  /// Saves the configuration atomically, unless the same files are already saved.
  ///
  /// - Throws: why it could not be written; the previous one is unchanged then.
  func keep(in stateDirectory: String) throws(Diagnostic) {
    if let before = try? Self.read(from: stateDirectory), before.files == files { return }
    try StateFile.replace(Self.path(in: stateDirectory), in: stateDirectory, with: document)
  }

  /// Invalid UTF-8, which only comments can contain, is replaced.
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
