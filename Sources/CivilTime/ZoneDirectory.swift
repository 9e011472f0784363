internal import Glibc
internal import Synchronization

/// The zone files below a directory such as /usr/share/zoneinfo.
struct ZoneDirectory {
  let path: String

  /// Entries of some systems that are not zones: copies of the zones (without and with leap
  /// seconds), settings in the format of a zone, and the placeholder for an unset zone.
  private static let notZones: Set<String> = [
    "posix", "right", "posixrules", "localtime", placeholder,
  ]
  /// tzdata's name for an unset zone.
  static let placeholder = "Factory"
  private static let largestFile = 1 << 20
  /// Names have at most three parts ("America/Argentina/Ushuaia"); the limit ends loops of links.
  private static let deepest = 4

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

  /// The first line of `tzdata.zi`, which has the version; nil without the file.
  func firstLineOfRules() -> String? {
    guard let file = fopen(path + "/tzdata.zi", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of `tzdata.zi`, the source of the compiled files with rules and links; empty without
  /// the file.
  func rules() -> [UInt8] {
    guard let stream = fopen(path + "/tzdata.zi", "re") else { return [] }
    defer { fclose(stream) }
    return Self.readRest(of: stream)
  }

  /// The modification time of the newest file among these zones.
  func newest(of names: [String]) -> Instant? {
    names.compactMap { name in
      var status = stat()
      guard stat(path + "/" + name, &status) == 0 else { return nil }
      return Instant(milliseconds: Int64(status.st_mtim.tv_sec) * 1_000)
    }.max()
  }

  private func visit(_ name: String, depth: Int, _ body: (String, [UInt8]) -> Void) {
    let file = path + "/" + name
    var status = stat()
    guard stat(file, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if let content = Self.zoneContent(of: file) { body(name, content) }
    case S_IFDIR where depth < Self.deepest:
      for entry in Self.entries(of: file) ?? [] {
        visit(name + "/" + entry, depth: depth + 1, body)
      }
    default:
      return
    }
  }

  /// The entries of a directory that are valid parts of a zone name: letters, digits, "+", "-" and
  /// "_". Nil, with `errno` set, if the directory cannot be listed.
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

  /// The content of a TZif file (RFC 8536); nil for other files.
  private static func zoneContent(of file: String) -> [UInt8]? {
    guard let stream = fopen(file, "re") else { return nil }
    defer { fclose(stream) }
    let magic = Array("TZif".utf8)
    var content = [UInt8](repeating: 0, count: magic.count)
    guard fread(&content, 1, magic.count, stream) == magic.count, content == magic else {
      return nil
    }
    let rest = readRest(of: stream)
    return rest.count < largestFile ? content + rest : nil
  }

  private static func readRest(of stream: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 8_192)
    while bytes.count < largestFile {
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

  /// Nil if the content is damaged. The first call takes about 100 µs, later ones a few ns.
  var zone: Zone? {
    if let pointer = OpaquePointer(bitPattern: address.load(ordering: .acquiring)) {
      return Zone(name: name, rules: ZoneRules(pointer: pointer))
    }
    guard let rules = ZoneRules(name: name, content: content) else { return nil }
    address.store(UInt(bitPattern: rules.pointer), ordering: .releasing)
    return Zone(name: name, rules: rules)
  }
}

/// The parts of a TZif file (RFC 8536) that decide whether cctz reads it correctly.
struct ZoneFile {
  /// The last listed clock change, in seconds since the epoch; nil without one.
  let lastTransition: Int64?
  /// The rules for the time after it, in the format of the POSIX variable TZ.
  let footer: ArraySlice<UInt8>

  /// 2036-01-01T00:00:00Z.
  private static let listedUntil: Int64 = 2_082_758_400
  private static let headerLength = 44

  /// Whether the listed clock changes end before 2037, where zic's fat form ends, although the
  /// footer has rules. For such a slim file cctz 2.3 takes the last two listed changes as the
  /// footer's rules, and if they differ it computes a wrong present time.
  var isSlim: Bool {
    footer.contains(UInt8(ascii: ",")) && (lastTransition ?? .min) < Self.listedUntil
  }

  /// Whether the content ends as its headers and footer say; false for a torn file.
  static func isWhole(_ content: [UInt8]) -> Bool {
    guard content.count >= headerLength else { return false }
    guard content[4] >= UInt8(ascii: "2") else {
      return content.count == headerLength + dataLength(content, header: 0, timeSize: 4)
    }
    guard let footer = ZoneFile(content)?.footer, footer.count >= 2 else { return false }
    let newline = UInt8(ascii: "\n")
    return footer.first == newline
      && footer.dropFirst().firstIndex(of: newline) == footer.endIndex - 1
  }

  /// Nil for a file shorter than its headers say, and for version 1, which has no footer.
  init?(_ content: [UInt8]) {
    guard content.count >= Self.headerLength, content[4] >= UInt8(ascii: "2") else { return nil }
    let second = Self.headerLength + Self.dataLength(content, header: 0, timeSize: 4)
    guard content.count >= second + Self.headerLength else { return nil }
    let data = second + Self.headerLength
    let end = data + Self.dataLength(content, header: second, timeSize: 8)
    guard content.count >= end else { return nil }
    let transitions = Self.number(content, at: second + 32, size: 4)
    let last = data + 8 * (transitions - 1)
    lastTransition = transitions == 0 ? nil : Int64(Self.number(content, at: last, size: 8))
    footer = content[end...]
  }

  /// The length of the data after a header, whose six counts are, in order: UT indicators, standard
  /// indicators, leap seconds, transitions, types and characters.
  private static func dataLength(_ content: [UInt8], header: Int, timeSize: Int) -> Int {
    let sizes = [1, 1, timeSize + 4, timeSize + 1, 6, 1]
    return sizes.enumerated().reduce(0) { length, size in
      length + size.element * number(content, at: header + 20 + 4 * size.offset, size: 4)
    }
  }

  /// A big-endian number of 4 bytes, or of 8 bytes with a sign.
  private static func number(_ content: [UInt8], at offset: Int, size: Int) -> Int {
    content[offset..<(offset + size)].reduce(0) { $0 << 8 | Int($1) }
  }
}
