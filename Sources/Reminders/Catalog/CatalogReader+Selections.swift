import Yams

extension CatalogReader {
  /// `{selection: [nutrition, movement], initial: [nutrition]}`: a parameter that holds some of
  /// some words; all of them at first unless `initial` names fewer.
  mutating func selection(_ node: Node, _ initial: Node?) -> (SettingKind, Int64)? {
    guard let words = words(node, "selection") else { return nil }
    guard (1...62).contains(words.count), Set(words).count == words.count else {
      report(node, "a selection needs 1 to 62 words, each once")
      return nil
    }
    guard let initial else {
      return (.selection(words), (1 << Int64(words.count)) - 1)
    }
    var bits: Int64 = 0
    for word in self.words(initial, "initial") ?? [] {
      guard let index = words.firstIndex(of: word) else {
        report(initial, "\"\(word)\" is none of the selection's words" + hint(word, words))
        continue
      }
      bits |= 1 << Int64(index)
    }
    return (.selection(words), bits)
  }

  private mutating func words(_ node: Node, _ what: String) -> [String]? {
    guard let sequence = node.sequence else {
      report(node, "\(what) must be a list of words")
      return nil
    }
    var words: [String] = []
    for entry in sequence {
      if let word = text(entry, "a word in \(what)") { words.append(word) }
    }
    return words
  }
}
