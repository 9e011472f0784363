internal import Glibc
internal import Synchronization

/// The zone files below a directory such as /usr/share/zoneinfo.
struct ZoneDirectory {
  let path: String

  /// Entries of some systems that are not zones. They are copies of the zones (without and with
  /// leap seconds), settings in the format of a zone, and the placeholder.
  private static let notZones: Set<String> = [
    "posix", "right", "posixrules", "localtime", placeholder,
  ]
  /// tzdata's name for an unset zone.
  static let placeholder = "Factory"
  /// The maximum size of a zone's file or of `tzdata.zi`, in bytes.
  private static let fileSizeMax = 1 << 20
  /// Names have at most three parts ("America/Argentina/Ushuaia"); the limit ends loops of links.
  private static let depthMax = 4

  /// Calls `body` with every zone's name and file content, in any order. Reads about 450 files of 1
  /// to 4 kB.
  func forEachZone(_ body: (String, [UInt8]) -> Void) throws(ZoneDatabaseError) {
    guard let names = Self.entries(of: path) else {
      throw .unreadable(directory: path, reason: String(cString: strerror(errno)))
    }
    for name in names where !Self.notZones.contains(name) {
      visit(name, depth: 1, body)
    }
  }

  /// Returns the first line of `tzdata.zi`, which has the version; nil if the file is missing.
  func firstLineOfRules() -> String? {
    guard let file = fopen(path + "/tzdata.zi", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the bytes of `tzdata.zi`, the source of the compiled files with rules and links; empty
  /// if the file is missing.
  func rules() -> [UInt8] {
    guard let stream = fopen(path + "/tzdata.zi", "re") else { return [] }
    defer { fclose(stream) }
    return Self.readRest(of: stream)
  }

  /// Returns the modification time of the newest file among these zones.
  func newest(of names: [String]) -> Instant? {
    names.compactMap { name in
      var status = stat()
      guard stat(path + "/" + name, &status) == 0 else { return nil }
      return Instant(milliseconds: Int64(status.st_mtim.tv_sec) * 1_000)
    }.max()
  }

  /// Calls `body` with a zone, or with all zones in a directory.
  private func visit(_ name: String, depth: Int, _ body: (String, [UInt8]) -> Void) {
    let file = path + "/" + name
    var status = stat()
    guard stat(file, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if let content = Self.zoneContent(of: file) { body(name, content) }
    case S_IFDIR where depth < Self.depthMax:
      for entry in Self.entries(of: file) ?? [] {
        visit(name + "/" + entry, depth: depth + 1, body)
      }
    default:
      return
    }
  }

  /// Returns the entries of a directory that are valid parts of a zone name: letters, digits, "+",
  /// "-" and "_". Returns nil, with `errno` set, if the directory cannot be listed.
  private static func entries(of directory: String) -> [String]? {
    guard let stream = opendir(directory) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.utf8.allSatisfy(isPartOfName) { names.append(name) }
    }
    return names
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default:
      false
    }
  }

  /// Returns the content of a TZif file (RFC 8536); nil for other files.
  private static func zoneContent(of file: String) -> [UInt8]? {
    guard let stream = fopen(file, "re") else { return nil }
    defer { fclose(stream) }
    let magic = Array("TZif".utf8)
    var content = [UInt8](repeating: 0, count: magic.count)
    guard fread(&content, 1, magic.count, stream) == magic.count, content == magic else {
      return nil
    }
    let rest = readRest(of: stream)
    return rest.count < fileSizeMax ? content + rest : nil
  }

  /// Returns the bytes up to the end of a file, at most `fileSizeMax` and the rest of a chunk.
  private static func readRest(of stream: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 8_192)
    while bytes.count < fileSizeMax {
      let count = fread(&chunk, 1, chunk.count, stream)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes
  }
}

/// A zone of a snapshot: its name, its file's content and, after the first use, its rules.
final class ZoneEntry: Sendable {
  let name: String
  let content: [UInt8]
  /// The address of the rules; 0 before the first use. Concurrent first calls may all load the
  /// content, with the same result.
  private let address = Atomic<UInt>(0)

  init(name: String, content: [UInt8]) {
    self.name = name
    self.content = content
  }

  func hasSameRules(as other: ZoneEntry) -> Bool { content == other.content }

  /// The zone; nil if the content is damaged. The first call takes about 100 µs, later ones a few
  /// ns.
  var zone: Zone? {
    if let pointer = OpaquePointer(bitPattern: address.load(ordering: .acquiring)) {
      return Zone(name: name, rules: ZoneRules(pointer: pointer))
    }
    guard let rules = ZoneRules(name: name, content: content) else { return nil }
    address.store(UInt(bitPattern: rules.pointer), ordering: .releasing)
    return Zone(name: name, rules: rules)
  }
}
