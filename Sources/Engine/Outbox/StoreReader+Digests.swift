import CivilTime
import Outbox
import Reminders
import Store

extension StoreReader {
  /// Returns the members of a digest, in the order in which they were decided. They were recorded
  /// at the same instant as the digest, just before it.
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
    let pastNotifications = try notifications(chain.numbers)
    let candidates = chain.numbers.dropFirst().compactMap { number in
      pastNotifications[number].map { (number: number, past: $0.past) }
    }.prefix { $0.past.at == instant }
    return candidates.reversed().filter { _, past in
      past.trace.word(for: .bundling) != nil && names.contains(past.message.reminder)
        && channels.isSubset(of: past.channels)
    }
  }
}

extension StoreWriter {
  /// Returns the digests among a recipient's deliveries whose members have all been withdrawn,
  /// muted, or replaced by a snooze, since the digest was decided.
  func emptiedDigests(
    among deliveries: [Delivery], of recipient: Recipient, in context: PlanningContext
  ) throws -> [Int64] {
    try deliveries.filter { digest in
      guard !digest.message.members.isEmpty else { return false }
      let members = try memberDeliveries(of: digest)
      guard members.count >= digest.message.members.count else { return false }
      let replaced = try replaced(among: members)
      return members.allSatisfy { member in
        context.isWithdrawn(member) || context.isMuted(member)
          || recipient.progress.isReplaced(member) || replaced.contains(member.notification)
      }
    }.map(\.notification)
  }

  /// Returns the members of a digest, each as a separate delivery.
  private func memberDeliveries(of digest: Delivery) throws -> [Delivery] {
    let names = digest.message.members
    let members = try members(
      ofDigest: digest.notification, of: digest.row, at: digest.at, named: names,
      on: ChannelSet(digest.channel),
      // Notifications outside of the digest may have been decided at the same instant.
      limit: min(1_000, 4 * names.count + 64))
    return members.map { number, past in
      var member = digest
      (member.notification, member.key, member.round) = (number, past.key, past.round)
      (member.planned, member.expiry, member.message) = (past.planned, past.expiry, past.message)
      return member
    }
  }
}
