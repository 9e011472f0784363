import CivilTime
import Outbox
import Reminders
import Store

extension StoreReader {
  /// Returns the members of a digest, in the order of decision. They were recorded at the same
  /// instant as the digest, just before it.
  ///
  /// - Parameters:
  ///   - names: the reminders of the members, as in the digest's message.
  ///   - channels: the digest's channels; other channels may have another digest of the same
  ///     instant.
  ///   - limit: how many notifications are read at most.
  func members(
    ofDigest number: Int64, of recipient: UInt32, at instant: Instant, named names: [String],
    on channels: ChannelSet, limit: Int = 1_000
  ) throws -> [(number: Int64, past: PastNotification)] {
    let chain = try chain(of: recipient, from: number, downTo: 0, limit: limit)
    let found = try notifications(chain.numbers)
    let parts = chain.numbers.dropFirst().compactMap { number in
      found[number].map { (number: number, past: $0.past) }
    }.prefix { $0.past.at == instant }
    return parts.reversed().filter { _, part in
      part.trace.word(for: .bundling) != nil && names.contains(part.message.reminder)
        && channels.isSubset(of: part.channels)
    }
  }
}

extension StoreWriter {
  /// Returns the digests among a recipient's deliveries whose members have all been withdrawn, or
  /// replaced by a snooze, since the decision.
  func emptiedDigests(
    among deliveries: [Delivery], of recipient: Recipient, in context: PlanningContext
  ) throws -> [Int64] {
    try deliveries.filter { digest in
      guard !digest.message.members.isEmpty else { return false }
      let parts = try parts(of: digest)
      guard parts.count >= digest.message.members.count else { return false }
      let replaced = try replaced(among: parts)
      return parts.allSatisfy { part in
        context.isWithdrawn(part) || recipient.progress.isReplaced(part)
          || replaced.contains(part.notification)
      }
    }.map(\.notification)
  }

  /// The members of a digest, each as a separate delivery.
  private func parts(of digest: Delivery) throws -> [Delivery] {
    let names = digest.message.members
    let members = try members(
      ofDigest: digest.notification, of: digest.row, at: digest.at, named: names,
      on: ChannelSet(digest.channel),
      // Notifications outside of the digest may have been decided at the same instant.
      limit: min(1_000, 4 * names.count + 64))
    return members.map { number, past in
      var part = digest
      (part.notification, part.key, part.round) = (number, past.key, past.round)
      (part.planned, part.expiry, part.message) = (past.planned, past.expiry, past.message)
      return part
    }
  }
}
