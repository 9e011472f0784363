package import CivilTime

/// Something an app wants said, now or at an instant (`notification.requested`), until it is
/// settled; or the note that it was taken back, which may arrive before it.
package struct RequestedNotification: Hashable, Sendable {
  /// Made of the event's source and id.
  package var key: Int64
  package var stamp: Stamp
  /// Nil once it is taken back.
  package var content: Content?

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

  /// The key of the request that an event with such an identity makes.
  package static func key(source: String, identifier: String) -> Int64 {
    Int64(bitPattern: mixed(stableHash(source) ^ mixed(stableHash(identifier))) >> 1)
  }
}

extension Facts {
  package func request(_ key: Int64) -> RequestedNotification.Content? {
    requests.first { $0.key == key }?.content
  }

  /// Taken back wins over asked for, whatever came first.
  mutating func set(_ request: RequestedNotification) {
    let index = requests.firstIndex { $0.key >= request.key } ?? requests.endIndex
    guard index < requests.endIndex, requests[index].key == request.key else {
      return requests.insert(request, at: index)
    }
    if request.content == nil { requests[index] = request }
  }

  /// How long a request that was taken back may itself still be on its way.
  private static let patience = TimeSpan.days(30)

  /// Forgets a request that is settled, and what was taken back long ago.
  mutating func forget(request key: Int64, now: Instant) {
    requests.removeAll { request in
      request.key == key
        || (request.content == nil && request.stamp.time + Self.patience < now)
    }
  }
}
