import CivilTime
import Reminders
import Store

extension Questions {
  /// How many notifications are looked for before others have their turn.
  private static let searchMax = 1_000
  /// How many a stream makes up for; their numbers are kept in memory, 8 bytes each.
  static let backlogMax = 10_000
  /// How much a page holds: so many deliveries, or so many bytes of text and one delivery more.
  private static let pageMax = 100
  private static let pageBytesMax = 1 << 18

  /// Begins to tell of what is recorded for a recipient, from before the moment from which it is
  /// read, so that nothing comes between.
  ///
  /// - Parameter start: the place to go on from; nil for now.
  func watch(
    _ name: String, from start: String?, telling signal: StreamSignal
  ) throws(StoreError) -> WatchAnswer {
    guard let row = try readers.read({ try $0.recipient(named: name)?.row }) else {
      return .unknownRecipient
    }
    let watch = Watch(row, telling: signal, in: watchers)
    let found = try readers.read { transaction -> (isThere: Bool, place: DeliveryPlace?) in
      guard let stored = try transaction.recipient(named: name), stored.row == row else {
        return (false, nil)
      }
      // Another's may have a higher number than the next that this one gets.
      guard let start else { return (true, .everything(through: stored.counts.head)) }
      let place = DeliveryPlace(start, instance: instance)
      return (true, try place.flatMap { try isSound($0, of: row, in: transaction) ? $0 : nil })
    }
    guard found.isThere else { return .unknownRecipient }
    guard let place = found.place else { return .unknownPlace }
    return .watching(watch, Backlog(place), place: place.text(instance: instance))
  }

  private func isSound(
    _ place: DeliveryPlace, of row: UInt32, in transaction: any StoreReader
  ) throws -> Bool {
    if case .everything = place.extent {
      return try place.notification <= transaction.latestNotification()
    }
    let chain = try transaction.chain(of: row, from: place.notification, downTo: 0, limit: 1)
    return !chain.numbers.isEmpty && chain.end != .broken
  }

  /// - Returns: nil when there is more than a stream makes up for.
  func page(
    of recipient: UInt32, _ backlog: Backlog, on channels: ChannelSet
  ) throws(StoreError) -> StreamPage? {
    try readers.read { transaction in
      var page = StreamPage(backlog: backlog)
      try search(for: &page.backlog, of: recipient, in: transaction)
      guard page.backlog.found.count <= Self.backlogMax else { return nil }
      if page.backlog.search == .done {
        try read(&page, of: recipient, on: channels, in: transaction)
      }
      page.hasMore = !page.backlog.found.isEmpty || page.backlog.search != .done
      if !page.hasMore { page.backlog.search = .due }
      return page
    }
  }

  /// Follows the chain back to the place.
  private func search(
    for backlog: inout Backlog, of recipient: UInt32, in transaction: any StoreReader
  ) throws {
    guard backlog.search != .done else { return }
    var first: Int64?
    if case .at(let current) = backlog.search { first = current }
    let chain = try transaction.chain(
      of: recipient, from: first, downTo: max(0, backlog.place.notification - 1),
      limit: Self.searchMax)
    let isOver = !backlog.add(chain.numbers, most: Self.backlogMax)
    switch chain.end {
    case .next(let next):
      backlog.search = isOver || !backlog.place.isBefore(notification: next) ? .done : .at(next)
    case .broken where isOver: backlog.search = .done
    case .broken:
      if let last = backlog.found.last, try last <= transaction.prunedThrough() {
        backlog.found.removeLast()
        backlog.search = .done
      } else {
        // It was taken out since, as happens when a clock is set back.
        backlog.found = []
        backlog.search = .due
      }
    }
  }

  private func read(
    _ page: inout StreamPage, of recipient: UInt32, on channels: ChannelSet,
    in transaction: any StoreReader
  ) throws {
    var bytes = 0
    while !page.backlog.found.isEmpty, page.items.count < Self.pageMax {
      let together = page.backlog.found.suffix(Self.pageMax - page.items.count)
      let deliveries = try transaction.deliveries(of: Array(together), to: recipient)
      for notification in together.reversed() {
        guard page.items.count < Self.pageMax, bytes < Self.pageBytesMax else { return }
        page.backlog.found.removeLast()
        bytes += add(deliveries[notification] ?? [], of: notification, to: &page, on: channels)
      }
    }
  }

  /// - Returns: how many bytes of text they have.
  private func add(
    _ deliveries: [Delivery], of notification: Int64, to page: inout StreamPage,
    on channels: ChannelSet
  ) -> Int {
    let wanted = deliveries.filter {
      page.backlog.place.isBefore($0) && channels.contains(ChannelSet($0.channel))
    }
    page.items += wanted.map { delivery in
      StreamPage.Item(
        place: DeliveryPlace(delivery).text(instance: instance), delivery: delivery)
    }
    page.backlog.place = DeliveryPlace(notification: notification, extent: .notification)
    page.place = wanted.isEmpty ? page.backlog.place.text(instance: instance) : nil
    return wanted.reduce(0) { $0 + $1.body.utf8.count + $1.message.details.utf8.count }
  }
}

extension Backlog {
  /// Adds those that are behind the place.
  ///
  /// - Returns: false when there is nothing more to look for, or too much.
  fileprivate mutating func add(_ numbers: [Int64], most: Int) -> Bool {
    for number in numbers {
      guard place.isBefore(notification: number), found.count <= most else { return false }
      found.append(number)
    }
    return true
  }
}

extension EngineCore {
  /// Tells the watchers of each recipient that a turn has dealt with.
  func tellWatchers(of turn: Turn) {
    guard !watchers.isEmpty else { return }
    watchers.tell(of: turn.schedules.lazy.map { ($0.row, $0.schedule != nil) })
  }
}
