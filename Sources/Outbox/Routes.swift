package import Reminders

/// Which sinks carry each channel, in order of fallback (rule D2).
package struct Routes: Hashable, Sendable {
  /// Names of sinks by channel. A channel without any is not carried out of the service; what is
  /// for the inbox is there without a sink.
  package var sinks: [Channel: [String]]
  /// The sink that takes analytics events (rule M1); nil if none does.
  package var analytics: String?

  package init(_ sinks: [Channel: [String]], analytics: String? = nil) {
    (self.sinks, self.analytics) = (sinks, analytics)
  }

  /// Everything to one sink.
  package init(allTo sink: String) {
    sinks = Dictionary(uniqueKeysWithValues: Channel.allCases.map { ($0, [sink]) })
  }

  /// The channels of which a sink is the first choice.
  package func channels(of sink: String) -> ChannelSet {
    channels { $0.first == sink }
  }

  /// The first channel whose route has a sink in it, at whatever place; nil if none has.
  package func firstChannel(by sink: String) -> Channel? {
    Channel.allCases.first { carries($0, by: sink) }
  }

  /// The channels that cannot reach anybody, for no sink carries them. The inbox needs none.
  package var unrouted: ChannelSet {
    ChannelSet(rawValue: Channel.allCases.reduce(0) { $0 | ChannelSet($1).rawValue })
      .subtracting(channels { !$0.isEmpty }).subtracting(ChannelSet(.inapp))
  }

  private func channels(where isWanted: ([String]) -> Bool) -> ChannelSet {
    var channels: ChannelSet = []
    for (channel, names) in sinks where isWanted(names) { channels.insert(ChannelSet(channel)) }
    return channels
  }

  /// The first choice for a channel; nil if no sink carries it.
  package func first(of channel: Channel) -> String? { sinks[channel]?.first }

  /// The first choices for channels, each once, in the order of the channels.
  package func firsts(of channels: ChannelSet) -> [String] {
    var names: [String] = []
    for name in channels.channels.compactMap(first(of:)) where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  /// Whether a channel's route has a sink in it.
  package func carries(_ channel: Channel, by sink: String) -> Bool {
    sinks[channel]?.contains(sink) ?? false
  }

  /// Who comes next for a channel when a sink has given up; nil if nobody does. After one that is
  /// not in its route any more the route begins.
  package func next(after sink: String, on channel: Channel) -> String? {
    guard let names = sinks[channel] else { return nil }
    guard let index = names.firstIndex(of: sink) else { return names.first }
    return index + 1 < names.count ? names[index + 1] : nil
  }

  /// Who goes on with what waits for sinks that do not carry its channel any more: the first that
  /// does, or nobody.
  package func strays(
    among carriers: [(sink: String, channel: Channel)]
  ) -> [(sink: String, channel: Channel, heir: String?)] {
    carriers.filter { !carries($0.channel, by: $0.sink) }
      .map { ($0.sink, $0.channel, first(of: $0.channel)) }
  }
}
