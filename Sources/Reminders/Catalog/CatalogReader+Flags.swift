import Yams

extension CatalogReader {
  /// Reads `flags: {isFollowingBack: {set: user.follows, clear: user.unfollows}}`: a later action
  /// of the recipient towards the actor changes the flag of earlier notifications (rule N1).
  mutating func readFlags(_ node: Node, _ link: inout Link?) {
    guard var linkWithSwitches = link else {
      return report(node, "\"flags\" needs \"opens\" beside it")
    }
    let known = linkWithSwitches.flags.map(\.name)
    for entry in keyedEntries(node, "flags") {
      guard let index = known.firstIndex(of: entry.name) else {
        let list = known.isEmpty ? "it has none" : "known: \(known.joined(separator: ", "))"
        report(
          entry.key,
          "\"\(entry.name)\" is not a flag of the event" + hint(entry.name, known) + " (\(list))")
        continue
      }
      linkWithSwitches.flags[index].switches = switches(entry)
    }
    link = linkWithSwitches
  }

  private mutating func switches(_ entry: YAMLEntry) -> Link.Switches? {
    let members = members(entry.value, of: "the flag \"\(entry.name)\"", .flag)
    guard let set = members["set"].flatMap({ actorEvent($0) }),
      let clear = members["clear"].flatMap({ actorEvent($0) })
    else { return nil }
    return Link.Switches(set: set, clear: clear)
  }

  /// Reads the type of an event whose identifier is the actor's id.
  private mutating func actorEvent(_ node: Node) -> Symbol? {
    guard let event = event(node) else { return nil }
    if schema(node)?.identifierField == nil {
      report(node, "\(node.string ?? "") needs an identifier: the actor's id")
    }
    return event
  }
}
