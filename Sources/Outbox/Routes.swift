package import Reminders

/// The sinks of each channel, in order of fallback (rule D2).
package struct Routes: Hashable, Sendable {
  /// The names of the sinks by channel. Nothing is delivered on a channel without sinks, except
  /// in-app notifications, which need none.
  package var sinks: [Channel: [String]]
  /// The sink of analytics events (rule M1); nil if there is none.
  package var analytics: String?
  /// The sink of outcomes of notifications (rule M6); nil if they have no route of their own.
  package var outcomes: String?
  /// Whether outcomes of notifications are recorded among the analytics events (rule M6).
  package var logsOutcomes = false

  package init(_ sinks: [Channel: [String]], analytics: String? = nil) {
    (self.sinks, self.analytics) = (sinks, analytics)
  }

  /// Returns the sink of a route of analytics events; nil if there is no such route.
  package func sink(of route: AnalyticsRoute) -> String? {
    switch route {
    case .analytics: analytics
    case .outcomes: outcomes
    }
  }

  /// Returns the analytics events that are sent by a route.
  package func part(of route: AnalyticsRoute) -> AnalyticsPart {
    switch route {
    case .analytics: outcomes == nil ? .all : .others
    case .outcomes: .outcomes
    }
  }

  /// Routes all channels to a single sink.
  package init(allTo sink: String) {
    sinks = Dictionary(uniqueKeysWithValues: Channel.allCases.map { ($0, [sink]) })
  }

  /// Returns the channels whose first choice is this sink.
  package func channels(of sink: String) -> ChannelSet {
    channels { $0.first == sink }
  }

  /// Returns the first channel whose route contains the sink; nil if there is none.
  package func firstChannel(by sink: String) -> Channel? {
    Channel.allCases.first { carries($0, by: sink) }
  }

  /// The channels without a sink, except in-app, which needs no sink.
  package var unroutedChannels: ChannelSet {
    ChannelSet(rawValue: Channel.allCases.reduce(0) { $0 | ChannelSet($1).rawValue })
      .subtracting(channels { !$0.isEmpty }).subtracting(ChannelSet(.inapp))
  }

  private func channels(where isWanted: ([String]) -> Bool) -> ChannelSet {
    var channels: ChannelSet = []
    for (channel, names) in sinks where isWanted(names) { channels.insert(ChannelSet(channel)) }
    return channels
  }

  /// Returns the first sink of a channel; nil if there is none.
  package func first(of channel: Channel) -> String? { sinks[channel]?.first }

  /// Returns the first sink of each channel, without duplicates, in the order of the channels.
  package func firstSinks(of channels: ChannelSet) -> [String] {
    var names: [String] = []
    for name in channels.channels.compactMap(first(of:)) where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  /// Returns whether the route of a channel contains the sink.
  package func carries(_ channel: Channel, by sink: String) -> Bool {
    sinks[channel]?.contains(sink) ?? false
  }

  /// Returns the next sink of a channel after a sink that has failed; nil at the end of the route.
  /// After a sink that is no longer in the route, the route begins again.
  package func next(after sink: String, on channel: Channel) -> String? {
    guard let names = sinks[channel] else { return nil }
    guard let index = names.firstIndex(of: sink) else { return names.first }
    return index + 1 < names.count ? names[index + 1] : nil
  }

  /// Returns the pairs of a sink and a channel whose route no longer contains the sink. `newSink`
  /// is the first sink of the route, which continues the deliveries; nil if the channel has no
  /// sink.
  ///
  /// - Parameter carriers: the pairs of a sink and a channel for which deliveries wait.
  package func misrouted(
    among carriers: [(sink: String, channel: Channel)]
  ) -> [(sink: String, channel: Channel, newSink: String?)] {
    carriers.filter { !carries($0.channel, by: $0.sink) }
      .map { ($0.sink, $0.channel, first(of: $0.channel)) }
  }
}
