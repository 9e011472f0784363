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
      guard try transaction.recipient(named: name)?.row == row else { return (false, nil) }
      guard let start else {
        return (true, .everything(through: try transaction.latestNotification()))
      }
      let place = DeliveryPlace(start, instance: instance)
      return (true, try place.flatMap { try isSound($0, of: row, in: transaction) ? $0 : nil })
    }
    guard found.isThere else { return .unknownRecipient }
    guard let place = found.place else { return .unknownPlace }
    return .watching(watch, Backlog(place), place: place.text(instance: instance))
  }

  private func isSound(
    _ place: DeliveryPlace, of row: UInt32, in transaction: borrowing StoreTransaction
  ) throws -> Bool {
    if case .everything = place.extent {
      return try place.notification <= transaction.latestNotification()
    }
    return try transaction.notification(before: place.notification, of: row) != nil
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
    for backlog: inout Backlog, of recipient: UInt32, in transaction: borrowing StoreTransaction
  ) throws {
    if backlog.search == .due {
      backlog.search = .at(try transaction.latestNotification(of: recipient) ?? 0)
    }
    for _ in 0..<Self.searchMax {
      guard case .at(let current) = backlog.search else { return }
      guard backlog.place.isBefore(notification: current), backlog.found.count <= Self.backlogMax
      else {
        backlog.search = .done
        return
      }
      backlog.found.append(current)
      if let previous = try transaction.notification(before: current, of: recipient) {
        backlog.search = .at(previous)
      } else if try transaction.isPruned(current) {
        backlog.found.removeLast()
        backlog.search = .done
      } else {
        // It was taken out since, as happens when a clock is set back.
        backlog.found = []
        backlog.search = .due
        return
      }
    }
  }

  private func read(
    _ page: inout StreamPage, of recipient: UInt32, on channels: ChannelSet,
    in transaction: borrowing StoreTransaction
  ) throws {
    var bytes = 0
    while let next = page.backlog.found.last, page.items.count < Self.pageMax,
      bytes < Self.pageBytesMax
    {
      page.backlog.found.removeLast()
      let deliveries = try transaction.deliveries(of: next, to: recipient).filter {
        page.backlog.place.isBefore($0) && channels.contains(ChannelSet($0.channel))
      }
      for delivery in deliveries {
        bytes += delivery.body.utf8.count + delivery.caption.details.utf8.count
        page.items.append(
          StreamPage.Item(
            place: DeliveryPlace(delivery).text(instance: instance), delivery: delivery))
      }
      page.backlog.place = DeliveryPlace(notification: next, extent: .notification)
      page.place = deliveries.isEmpty ? page.backlog.place.text(instance: instance) : nil
    }
  }
}

extension EngineCore {
  /// Tells those who watch them of the recipients whom a turn has dealt with.
  func tellWatchers(of turn: Turn) {
    guard !watchers.isEmpty else { return }
    watchers.tell(of: turn.schedules.lazy.map { ($0.row, $0.schedule != nil) })
  }
}
