import CivilTime
import Outbox
import Reminders
import Store

extension Questions {
  /// The maximum number of notifications searched per page.
  private static let searchMax = 1_000
  /// The maximum number of unsent notifications of a stream. Their numbers stay in memory, 8 bytes
  /// each.
  static let backlogMax = 10_000
  /// The limits of a page: 100 deliveries and 256 KiB of text. The deliveries of its last
  /// notification may exceed them.
  private static let pageMax = 100
  private static let pageBytesMax = 1 << 18

  /// Registers a watch of a recipient's notifications. It is registered before the current position
  /// is read, so that no notification is missed.
  ///
  /// - Parameter start: the position to continue from; nil for the current one.
  func watch(
    _ name: String, from start: String?, signal: StreamSignal
  ) throws(StoreError) -> WatchAnswer {
    guard let row = try readers.read({ try $0.recipient(named: name)?.row }) else {
      return .unknownRecipient
    }
    let watch = Watch(row, signal: signal, in: watchers)
    let result = try readers.read { transaction -> (isKnown: Bool, cursor: StreamPosition?) in
      guard let stored = try transaction.recipient(named: name), stored.row == row else {
        return (false, nil)
      }
      // The position is this recipient's newest notification, not the store's. Another recipient's
      // notification may already have a higher number than this recipient's next one.
      guard let start else { return (true, .everything(through: stored.counts.head)) }
      let cursor = StreamPosition(start, instance: instance)
      return (true, try cursor.flatMap { try isValid($0, of: row, in: transaction) ? $0 : nil })
    }
    guard result.isKnown else { return .unknownRecipient }
    guard let cursor = result.cursor else { return .unknownCursor }
    return .watching(watch, StreamBacklog(cursor), cursor: cursor.text(instance: instance))
  }

  /// Returns whether a stream of this recipient can continue from a position.
  private func isValid(
    _ cursor: StreamPosition, of row: UInt32, in transaction: any StoreReader
  ) throws -> Bool {
    if case .everything = cursor.extent {
      return try cursor.notification <= transaction.latestNotification()
    }
    let chain = try transaction.chain(of: row, from: cursor.notification, downTo: 0, limit: 1)
    return !chain.numbers.isEmpty && chain.end != .broken
  }

  /// Returns the next page of a stream; nil if the backlog exceeds `backlogMax`.
  func page(
    of recipient: UInt32, _ backlog: StreamBacklog, on channels: ChannelSet
  ) throws(StoreError) -> StreamPage? {
    try readers.read { transaction in
      var page = StreamPage(backlog: backlog)
      try search(for: &page.backlog, of: recipient, in: transaction)
      guard page.backlog.unsent.count <= Self.backlogMax else { return nil }
      if page.backlog.search == .done {
        try read(&page, of: recipient, on: channels, in: transaction)
      }
      page.hasMore = !page.backlog.unsent.isEmpty || page.backlog.search != .done
      if !page.hasMore { page.backlog.search = .due }
      return page
    }
  }

  /// Follows the recipient's chain of notifications back to the position.
  private func search(
    for backlog: inout StreamBacklog, of recipient: UInt32, in transaction: any StoreReader
  ) throws {
    guard backlog.search != .done else { return }
    var first: Int64?
    if case .at(let current) = backlog.search { first = current }
    let chain = try transaction.chain(
      of: recipient, from: first, downTo: max(0, backlog.cursor.notification - 1),
      limit: Self.searchMax)
    let isComplete = !backlog.add(chain.numbers, countMax: Self.backlogMax)
    switch chain.end {
    case .next(let next):
      backlog.search =
        isComplete || !backlog.cursor.isBefore(notification: next) ? .done : .at(next)
    case .broken where isComplete: backlog.search = .done
    case .broken:
      if let last = backlog.unsent.last, try last <= transaction.prunedThrough() {
        backlog.unsent.removeLast()
        backlog.search = .done
      } else {
        // The notification was removed meanwhile, perhaps after the clock was set back.
        backlog.unsent = []
        backlog.search = .due
      }
    }
  }

  /// Reads the deliveries of the oldest unsent notifications, up to the limits of a page.
  private func read(
    _ page: inout StreamPage, of recipient: UInt32, on channels: ChannelSet,
    in transaction: any StoreReader
  ) throws {
    var bytes = 0
    while !page.backlog.unsent.isEmpty, page.items.count < Self.pageMax {
      let group = page.backlog.unsent.suffix(Self.pageMax - page.items.count)
      let deliveries = try transaction.deliveries(of: Array(group), to: recipient)
      for notification in group.reversed() {
        guard page.items.count < Self.pageMax, bytes < Self.pageBytesMax else { return }
        page.backlog.unsent.removeLast()
        bytes += add(deliveries[notification] ?? [], of: notification, to: &page, on: channels)
      }
    }
  }

  /// Adds the deliveries of a notification to a page, and moves the position past it.
  ///
  /// - Returns: the number of bytes of text in the added deliveries.
  private func add(
    _ deliveries: [Delivery], of notification: Int64, to page: inout StreamPage,
    on channels: ChannelSet
  ) -> Int {
    let newDeliveries = deliveries.filter {
      page.backlog.cursor.isBefore($0) && channels.contains(ChannelSet($0.channel))
    }
    let links = published.actionLinks
    page.items += newDeliveries.map { delivery in
      StreamPage.Item(
        cursor: StreamPosition(delivery).text(instance: instance),
        delivery: delivery.linked(by: links))
    }
    page.backlog.cursor = StreamPosition(notification: notification, extent: .notification)
    page.cursor = newDeliveries.isEmpty ? page.backlog.cursor.text(instance: instance) : nil
    return newDeliveries.reduce(0) { $0 + $1.body.utf8.count + $1.message.details.utf8.count }
  }
}

extension Questions {
  /// Returns the withdrawn deliveries on some channels to the recipient of a watch, in the order of
  /// their notifications (rule D16). Examines the recipient's latest notifications, and all that
  /// were withdrawn since the watch began.
  ///
  /// - Parameter position: the position up to which the stream has sent notifications. The
  ///   withdrawals of later ones are omitted, because they follow the notifications.
  func withdrawals(
    of watch: Watch, before position: StreamPosition, on channels: ChannelSet, now: Instant
  ) throws(StoreError) -> [Delivery] {
    guard planner.catalog.hasWithdrawals else { return [] }
    let withdrawn = watch.withdrawn
    return try readers.read { transaction in
      let latest = try transaction.chain(
        of: watch.recipient, from: nil, downTo: 0, limit: EndedDeliveries.examinedMax
      ).numbers
      let numbers = Set(latest + withdrawn).sorted()
      let deliveries = try transaction.deliveries(of: numbers, to: watch.recipient)
      let states = try transaction.deliveryStates(of: numbers)
      return numbers.flatMap { number in
        (deliveries[number] ?? []).filter {
          channels.contains(ChannelSet($0.channel))
            && now - $0.at < EndedDeliveries.ageMax && !position.isBefore($0)
        }.compactMap { $0.withdrawn(by: states[number] ?? []) }
      }
    }
  }
}

extension Delivery {
  /// Returns the withdrawal of the delivery that its state records; nil if there is none.
  fileprivate func withdrawn(by states: [DeliveryState]) -> Delivery? {
    let steps = states.first { $0.channel == channel }?.attempts ?? []
    guard let decision = steps.first(where: { $0.verdict == .withdrawing }) else { return nil }
    var delivery = self
    delivery.withdraw(at: decision.at)
    return delivery
  }
}

extension StreamBacklog {
  /// Adds the notifications after the position.
  ///
  /// - Returns: false if the search is complete or the backlog is too long.
  fileprivate mutating func add(_ numbers: [Int64], countMax: Int) -> Bool {
    for number in numbers {
      guard cursor.isBefore(notification: number), unsent.count <= countMax else { return false }
      unsent.append(number)
    }
    return true
  }
}
