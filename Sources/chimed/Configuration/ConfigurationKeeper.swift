import CivilTime
import Engine
import JSON
import Reminders
import Systemd

/// Says which configuration is in force, and keeps the last sound one (rule S6).
struct ConfigurationKeeper: Sendable {
  /// The directory that it is kept in.
  let place: String?
  let journal: Journal
  let board: StatusBoard

  /// Once a start has taken it into force.
  func begin(_ start: StartConfiguration) {
    remark(on: start.candidate)
    if let substitution = start.substitution {
      tell(substitution)
    } else if start.isSound {
      keep(start.candidate)
    }
  }

  /// Waits for the disk, unless the same is kept already.
  func keep(_ candidate: Candidate) {
    guard let place else { return }
    do {
      try KeptConfiguration(at: WallClock.now(), files: candidate.files).keep(in: place)
    } catch {
      journal.send(
        message: "the configuration is in force and could not be kept for a start with one that "
          + "is not sound: \(error)",
        priority: .warning)
    }
  }

  /// Of which nothing comes is said where the service says how it is.
  func remark(on candidate: Candidate) {
    let isNone = candidate.setup.planning.catalog.isEmpty
    board.remark(on: "catalogs", isNone ? "no catalog chosen: nobody is reminded" : nil)
  }

  private func tell(_ substitution: StartConfiguration.Substitution) {
    let faults = "\(substitution.flaws)"
    let names = substitution.credentials.joined(separator: ", ")
    let secrets = names.isEmpty ? "" : "\nits secrets are those that are handed over now: \(names)"
    let what = "the configuration is not sound, and that of \(substitution.at) is in force"
    board.remark(on: StatusBoard.reload, "\(what): \(faults)")
    journal.send(
      .configurationReplaced, "\(what): \(faults)\(secrets)", fields: [(.reason, faults)])
  }
}

/// The last configuration that was in force and sound: the text of each of its files, in a file of
/// the state directory that only the service can read (rule S6). No secret is in it, as none is in
/// a configuration.
struct KeptConfiguration {
  /// When it was kept.
  let at: Instant
  /// What each file held, by its path.
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

  /// Writes it as a whole or not at all, unless the same files are kept already.
  ///
  /// - Throws: why it could not be written; the one before is as it was then.
  func keep(in stateDirectory: String) throws(Diagnostic) {
    if let before = try? Self.read(from: stateDirectory), before.files == files { return }
    try StateFile.replace(Self.path(in: stateDirectory), in: stateDirectory, with: document)
  }

  /// Bytes that are no UTF-8, as a comment may have, are of no use to anybody.
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
