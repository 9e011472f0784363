internal import Synchronization

/// One zone of a snapshot: its name, its file's content and, once asked for, its rules.
final class ZoneEntry: Sendable {
  let name: String
  private let content: [UInt8]
  /// The address of the rules; 0 before they are first asked for. Threads that ask at once may
  /// all load, but loading the same content gives all of them the same rules.
  private let address = Atomic<UInt>(0)

  init(name: String, content: [UInt8]) {
    self.name = name
    self.content = content
  }

  func hasSameRules(as other: ZoneEntry) -> Bool { content == other.content }

  /// See ``ZoneFile/isSlim``; false for content that is damaged.
  var isSlim: Bool { ZoneFile(content)?.isSlim ?? false }

  /// Nil if the content is damaged. The first call takes some 100 µs, the others a few ns.
  var zone: Zone? {
    if let pointer = OpaquePointer(bitPattern: address.load(ordering: .acquiring)) {
      return Zone(name: name, rules: ZoneRules(pointer: pointer))
    }
    guard let rules = ZoneRules(name: name, content: content) else { return nil }
    address.store(UInt(bitPattern: rules.pointer), ordering: .releasing)
    return Zone(name: name, rules: rules)
  }
}
