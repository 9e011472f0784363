import Yams

extension CatalogReader {
  /// `topics: $categories`, a parameter that is a selection; each message may then say with `topic`
  /// which of its words it is about.
  mutating func topics(_ node: Node, groups: [String]) -> Topics? {
    guard let text = node.string, text.hasPrefix("$") else {
      report(node, "\"topics\" must be $name for a group's parameter that is a selection")
      return nil
    }
    let name = String(text.dropFirst())
    guard let index = parameter(node, name, groups, written: text) else { return nil }
    guard case .selection(let words) = catalog.settings.definitions[index].kind else {
      report(node, "\(text) is not a selection")
      return nil
    }
    return Topics(setting: index, words: words)
  }

  /// The bit of the word that a message is about.
  mutating func topic(_ node: Node, among topics: Topics?) -> Int64? {
    let (word, words) = (node.string ?? "", topics?.words ?? [])
    if let place = words.firstIndex(of: word) { return 1 << Int64(place) }
    report(node, "\"\(word)\" is not among \(words.joined(separator: ", "))" + hint(word, words))
    return nil
  }

  /// Whoever chooses one topic alone must hear something.
  mutating func check(_ topics: Topics, have messages: [Message], at node: Node) {
    guard !messages.contains(where: { $0.topic == nil }) else { return }
    for (place, word) in topics.words.enumerated()
    where !messages.contains(where: { $0.topic == 1 << Int64(place) }) {
      report(node, "no message is about \"\(word)\"")
    }
  }
}
