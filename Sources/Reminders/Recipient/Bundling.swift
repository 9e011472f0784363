/// Combines the notifications that a recipient gets at one instant into digests (rule V6). Each
/// unit, which is a single notification or has digests, counts once towards the cap (rule V5).
struct Bundling {
  /// A notification that may be sent as part of a digest.
  struct Member {
    /// The channels on which the notification would be sent alone.
    var channels: ChannelSet
    /// Whether the notification waited for the end of a vacation. With one such member, two members
    /// are enough for a digest.
    var isFromVacation: Bool
    /// Whether the notification waited for the end of a snooze. Two such members are enough for a
    /// digest.
    var isSnoozed = false
    /// Whether the notification is e-mail that is collected for once a day or a week. With one such
    /// member, two members are enough for a digest.
    var isCollected: Bool
    /// Whether the notification is sent alone, because it has channels of its own. The channels and
    /// fallbacks of a digest follow the switches of categories (rule P10).
    var isAlone = false
  }

  /// A digest on some channels.
  struct ChannelDigest {
    /// The channels of the digest, which all have the same members.
    var channels: ChannelSet
    /// The indices of the digest's members.
    var members: [Int]
  }

  /// The notifications that are sent together: digests that share members, or a single
  /// notification.
  struct Unit {
    /// The indices of the members, ascending. If `Bundling` was created with members in the order
    /// of urgency, the first is the most urgent.
    var members: [Int]
    /// The digests of the unit; empty for a single notification.
    var digests: [ChannelDigest] = []
  }

  private let members: [Member]
  private let threshold: Int

  /// - Parameter threshold: the usual minimum number of members of a digest; 0 for no digests
  ///   except of collected e-mail.
  init(_ members: [Member], threshold: Int) {
    (self.members, self.threshold) = (members, threshold)
  }

  /// The units in the order of their first members.
  var units: [Unit] {
    let digests = members.count > 1 ? self.digests : []
    guard !digests.isEmpty else { return members.indices.map { Unit(members: [$0]) } }
    let digestNumbers = self.digestNumbers(digests)
    var unitIndices: [Int: Int] = [:]
    var units: [Unit] = []
    for index in members.indices {
      guard let digestNumber = digestNumbers[index], let unitIndex = unitIndices[digestNumber]
      else {
        if let digestNumber = digestNumbers[index] { unitIndices[digestNumber] = units.count }
        units.append(Unit(members: [index]))
        continue
      }
      units[unitIndex].members.append(index)
    }
    for digest in digests {
      let unitIndex = digest.members.first.flatMap { digestNumbers[$0] }.flatMap { unitIndices[$0] }
      if let unitIndex { units[unitIndex].digests.append(digest) }
    }
    return units
  }

  /// The digests: one for each channel with enough members, except the inbox. Channels with the
  /// same members share a digest.
  private var digests: [ChannelDigest] {
    var digests: [ChannelDigest] = []
    for channel in Channel.allCases where channel != .inapp {
      let channel = ChannelSet(channel)
      let indices = members.indices.filter {
        !members[$0].isAlone && members[$0].channels.contains(channel)
      }
      guard indices.count >= minimumCount(of: indices) else { continue }
      if let index = digests.firstIndex(where: { $0.members == indices }) {
        digests[index].channels.insert(channel)
      } else {
        digests.append(ChannelDigest(channels: channel, members: indices))
      }
    }
    return digests
  }

  /// Returns the minimum number of members for a digest of the members at these indices.
  private func minimumCount(of indices: [Int]) -> Int {
    if indices.contains(where: { members[$0].isCollected }) { return 2 }
    guard threshold > 0 else { return .max }
    let areTwoEnough =
      indices.contains { members[$0].isFromVacation }
      || indices.count { members[$0].isSnoozed } > 1
    return areTwoEnough ? 2 : max(2, threshold)
  }

  /// Returns for each member the number of its digest; nil for a member in no digest. Digests that
  /// share members have the same number.
  private func digestNumbers(_ digests: [ChannelDigest]) -> [Int?] {
    var digestNumbers = [Int?](repeating: nil, count: members.count)
    for (number, digest) in digests.enumerated() {
      let mergedNumbers = Set(digest.members.compactMap { digestNumbers[$0] })
      for index in digestNumbers.indices {
        if let digestNumber = digestNumbers[index], mergedNumbers.contains(digestNumber) {
          digestNumbers[index] = number
        }
      }
      for index in digest.members { digestNumbers[index] = number }
    }
    return digestNumbers
  }
}
