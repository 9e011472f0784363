package import CivilTime

/// Something an app wants said, now or at an instant (`notification.requested`), until it is
/// settled.
///
/// A person may have a thousand of them, and with each event all are read, looked at and written:
/// so what is planned by is at hand, and what it says stays as the store has it until it is said.
package struct RequestedNotification: Hashable, Sendable {
  package let stamp: Stamp
  package let category: Symbol
  package let planned: Instant
  package let expires: TimeSpan
  /// The channels it is meant for; empty for whatever its category allows.
  package let channels: ChannelSet
  package let isInteractive: Bool
  private let texts: RequestTexts

  package init(identity: EventIdentity, stamp: Stamp, content: Content) {
    self.stamp = stamp
    category = content.category
    planned = content.planned
    expires = content.expires
    channels = content.channels
    isInteractive = content.isInteractive
    texts = RequestTexts(identity, content)
  }

  /// The event's source and id: what the app takes it back by.
  package var identity: EventIdentity { texts.identity }

  /// What the app has asked for, as its event has it.
  package var content: Content {
    let words = texts.words
    return Content(
      category: category, planned: planned, expires: expires, channels: channels,
      isInteractive: isInteractive, title: words.title, body: words.body, details: words.details)
  }

  /// What its occurrence is known by. The place in the order of arrival is nobody else's, and no
  /// app can choose it (rule E5).
  package var key: Int64 { stamp.order }

  package struct Content: Hashable, Sendable {
    package var category: Symbol
    package var planned: Instant
    package var expires: TimeSpan
    /// The channels it is meant for; empty for whatever its category allows.
    package var channels: ChannelSet
    package var isInteractive: Bool
    package var title: String
    package var body: String
    /// Whatever else the app's own client makes something of, as a JSON object; or empty.
    package var details: String
  }

  /// Whether it was asked for before another: by the apps' own times, and of one instant in the
  /// order of arrival.
  package static func isEarlier(_ left: Self, _ right: Self) -> Bool { left.stamp < right.stamp }
}

extension RequestedNotification {
  /// - Parameter name: an identity, encoded.
  fileprivate func has(_ name: [UInt8]) -> Bool { texts.begin(with: name) }

  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.stamp(stamp, since: base)
    writer.symbol(category)
    writer.signed(planned.milliseconds &- base)
    writer.signed(expires.milliseconds)
    writer.unsigned(UInt64(channels.rawValue))
    writer.count(isInteractive ? 1 : 0)
    texts.write(to: &writer)
  }

  /// - Parameter bytes: those that the reader reads.
  init(
    from reader: inout ByteReader, of bytes: [UInt8], since base: Int64
  ) throws(CodingFailure) {
    stamp = try reader.stamp(since: base)
    category = try reader.symbol()
    planned = Instant(milliseconds: try reader.signed() &+ base)
    expires = TimeSpan(milliseconds: try reader.signed())
    channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: try reader.unsigned()))
    isInteractive = try reader.count() == 1
    texts = try RequestTexts(from: &reader, of: bytes)
  }
}

/// The note that a request was taken back, which may arrive before the request.
package struct Withdrawal: Hashable, Sendable {
  package let identity: EventIdentity
  /// The key of the request, once that is known.
  package internal(set) var key: Int64?
  package internal(set) var stamp: Stamp
}

extension Facts {
  /// How many requests at most wait for a person (rule H6).
  package static let requestsMax = 1_000
  /// How many withdrawals are remembered.
  package static let withdrawalsMax = 1_000
  /// How long a request that was taken back may itself still be on its way.
  private static let patience = TimeSpan.days(30)

  package func request(_ key: Int64) -> RequestedNotification? {
    guard !requests.isEmpty else { return nil }
    let index = requests.place { $0.key < key }
    return index < requests.endIndex && requests[index].key == key ? requests[index] : nil
  }

  /// Whether one request was asked for before another.
  func isEarlier(request key: Int64, than other: Int64) -> Bool {
    guard key != other, let one = request(key), let another = request(other) else {
      return key < other
    }
    return RequestedNotification.isEarlier(one, another)
  }

  /// The withdrawal of a request, be it here or on its way.
  package func withdrawal(of identity: EventIdentity) -> Withdrawal? {
    withdrawalIndex(identity).map { withdrawals[$0] }
  }

  /// Taken back wins over asked for, whatever came first. Of two with one identity, which only a
  /// service that has forgotten the first takes in, the earlier stays.
  mutating func note(_ request: RequestedNotification) {
    if let index = withdrawalIndex(request.identity) {
      withdrawals[index].key = min(withdrawals[index].key ?? request.key, request.key)
      return
    }
    if let index = requestIndex(request.identity) {
      guard request.stamp < requests[index].stamp else { return }
      requests.remove(at: index)
    }
    requests.insert(request, at: requests.place { $0.key < request.key })
  }

  /// - Parameter key: that of the request, where it is known to have been settled before.
  mutating func withdraw(_ identity: EventIdentity, key: Int64?, at stamp: Stamp) {
    var key = key
    if let index = requestIndex(identity) { key = requests.remove(at: index).key }
    if let index = withdrawalIndex(identity) {
      withdrawals[index].key = withdrawals[index].key ?? key
      withdrawals[index].stamp = max(withdrawals[index].stamp, stamp)
    } else {
      let withdrawal = Withdrawal(identity: identity, key: key, stamp: stamp)
      withdrawals.insert(withdrawal, at: withdrawals.place { $0.identity < identity })
    }
    forgetWithdrawals()
  }

  /// Lets go of those that were told of long before the latest, and of too many: first of those
  /// whose request has come, then of the earliest.
  private mutating func forgetWithdrawals() {
    Work.count(withdrawals.count)
    guard let latest = withdrawals.map(\.stamp.time).max() else { return }
    withdrawals.removeAll { $0.stamp.time + Self.patience < latest }
    guard withdrawals.count > Self.withdrawalsMax else { return }
    let isLess = { (left: Withdrawal, right: Withdrawal) in
      (left.key == nil) == (right.key == nil)
        ? left.stamp < right.stamp : left.key != nil
    }
    let excess = withdrawals.count - Self.withdrawalsMax
    let gone = Set(withdrawals.sorted(by: isLess).prefix(excess).map(\.identity))
    withdrawals.removeAll { gone.contains($0.identity) }
  }

  /// Forgets requests that are settled.
  mutating func forget(requests keys: Set<Int64>) {
    guard !keys.isEmpty else { return }
    Work.count(requests.count)
    requests.removeAll { keys.contains($0.key) }
  }

  private func requestIndex(_ identity: EventIdentity) -> Int? {
    guard !requests.isEmpty else { return nil }
    Work.count(requests.count)
    let name = RequestTexts.encoded(identity)
    return requests.firstIndex { $0.has(name) }
  }

  private func withdrawalIndex(_ identity: EventIdentity) -> Int? {
    guard !withdrawals.isEmpty else { return nil }
    let index = withdrawals.place { $0.identity < identity }
    return index < withdrawals.endIndex && withdrawals[index].identity == identity ? index : nil
  }
}
