/// The rules of all zones of a snapshot. A later snapshot that lacks a zone uses the rules from
/// this archive (rule T9).
package struct ZoneArchive: Hashable, Sendable {
  /// The content of each zone's file, by the zone's name.
  private var contents: [String: [UInt8]] = [:]

  /// An archive without zones.
  package init() {}

  init(contents: [String: [UInt8]]) {
    self.contents = contents
  }

  /// Adds the files of this archive's zones that another snapshot lacks to that snapshot's
  /// contents.
  ///
  /// - Returns: the names of the added zones.
  func complete(_ otherContents: inout [String: [UInt8]]) -> Set<String> {
    var names: Set<String> = []
    for (name, content) in contents where otherContents[name] == nil {
      otherContents[name] = content
      names.insert(name)
    }
    return names
  }
}

extension ZoneArchive {
  private static let newline = UInt8(ascii: "\n")

  /// The archive as the content of a file. Before each distinct content is a line with the
  /// content's length in bytes and the names of its zones.
  package var bytes: [UInt8] {
    let namesByContent = Dictionary(grouping: contents.keys.sorted()) { contents[$0] ?? [] }
    return namesByContent.sorted { $0.value[0] < $1.value[0] }.reduce(into: []) { bytes, entry in
      bytes += Array("\(entry.key.count) \(entry.value.joined(separator: " "))".utf8)
      bytes.append(Self.newline)
      bytes += entry.key
    }
  }

  /// Parses the content of an archive file; returns nil if it is damaged. Skips a zone whose
  /// content is incomplete.
  package init?(bytes: [UInt8]) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: Self.newline) {
      let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      guard let length = words.first.flatMap({ Int($0) }), length >= 0 else { return nil }
      rest = rest[(end + 1)...]
      guard rest.count >= length else { return nil }
      let content = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      guard ZoneFile.isWhole(content) else { continue }
      for name in words.dropFirst() { contents[String(name)] = content }
    }
    guard rest.isEmpty else { return nil }
  }
}
