import Yams

/// Reads discreet texts and the channels that show them (rule D17).
extension CatalogReader {
  private static var discreetCharactersMax: Int { 120 }

  /// Reads a text for channels that other people may see. Returns nil if it is invalid.
  mutating func discreetText(_ node: Node) -> String? {
    guard countText(at: node), let text = text(node, "discreet") else { return nil }
    guard !text.contains("{{") else {
      report(
        node,
        "\"discreet\" is seen by others, so it cannot have placeholders; write a text without {{")
      return nil
    }
    guard text.count <= Self.discreetCharactersMax else {
      report(
        node,
        "\"discreet\" has at most \(Self.discreetCharactersMax) characters; it has \(text.count)")
      return nil
    }
    return text
  }

  /// Reads the channels of a category that show discreet texts.
  mutating func discreetChannels(_ node: Node?, _ channels: [Channel]) -> ChannelSet {
    var discreetChannels: ChannelSet = []
    guard let node else { return discreetChannels }
    guard let entries = node.sequence, !entries.isEmpty else {
      report(node, "\"discreet\" of a category must be a list of channels")
      return discreetChannels
    }
    for entry in entries {
      guard let channel = channel(entry.string ?? "", at: entry) else { continue }
      if channel == .inapp {
        report(entry, "inapp is seen by the recipient alone; remove it from \"discreet\"")
      } else if !channels.contains(channel) {
        report(entry, "\(channel.name) is not a channel of the category")
      }
      discreetChannels.insert(ChannelSet(channel))
    }
    return discreetChannels
  }
}
