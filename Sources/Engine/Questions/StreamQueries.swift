package import CivilTime
package import Reminders
package import Store

/// Begins to signal a recipient's new deliveries, until the watch in the answer is released.
package struct WatchQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String
  /// The position to continue from, as a stream has returned it; nil for the current one.
  package var start: String?
  /// The signal to send when the recipient has new deliveries.
  package var signal: StreamSignal

  package init(_ recipient: String, from start: String?, signal: StreamSignal) {
    self.recipient = recipient
    self.start = start
    self.signal = signal
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> WatchAnswer {
    let answer = try questions.watch(recipient, from: start, signal: signal)
    // Any node answers all other queries, from committed data.
    guard case .shards(let owned) = questions.published.view.ownership else { return answer }
    let shard = questions.readers.shard(of: recipient)
    return owned.contains(shard) ? answer : .elsewhere(shard: shard)
  }
}

/// Selects the deliveries on some channels to the recipient of a watch, since the last page. The
/// answer is nil if the backlog exceeds its maximum.
package struct StreamPageQuery: EngineQuery {
  package var watch: Watch
  /// The backlog as the last page has returned it, or the watch's before the first page.
  package var backlog: StreamBacklog
  package var channels: ChannelSet

  package init(of watch: Watch, _ backlog: StreamBacklog, on channels: ChannelSet) {
    self.watch = watch
    self.backlog = backlog
    self.channels = channels
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> StreamPage? {
    try questions.page(of: watch.recipient, backlog, on: channels)
  }
}

/// Selects the withdrawn deliveries on some channels to the recipient of a watch, the earliest
/// first. The query examines the latest notifications (rule D16), and those that were withdrawn
/// since the watch began. Deliveries after the position of the backlog are omitted until they are
/// sent.
package struct WithdrawalsQuery: EngineQuery {
  package var watch: Watch
  /// The backlog as the last page has returned it, or the watch's before the first page.
  package var backlog: StreamBacklog
  package var channels: ChannelSet

  package init(of watch: Watch, before backlog: StreamBacklog, on channels: ChannelSet) {
    self.watch = watch
    self.backlog = backlog
    self.channels = channels
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> [Delivery] {
    try questions.withdrawals(of: watch, before: backlog.cursor, on: channels, now: now)
  }
}
