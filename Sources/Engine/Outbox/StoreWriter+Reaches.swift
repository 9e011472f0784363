import Outbox
import Reminders
import Store

extension StoreWriter {
  /// Returns the progress of the deliveries' notifications, each together with the other
  /// notifications of its occurrence. Collected e-mail is a separate notification, and so is a
  /// digest.
  ///
  /// Cost: about ten look-ups for each delivery.
  func reaches(of deliveries: [Delivery]) throws -> [Int64: NotificationReach] {
    guard !deliveries.isEmpty else { return [:] }
    let companions = try deliveries.map { try self.companions(of: $0) }
    let numbers = Array(Set(companions.joined()))
    let channelProgress = try channelProgress(of: numbers)
    let states = try deliveryStates(of: numbers)
    var reaches: [Int64: NotificationReach] = [:]
    for (delivery, numbers) in zip(deliveries, companions) {
      let channels = numbers.reduce(into: ChannelSet()) {
        $0.formUnion(channelProgress[$1]?.channels ?? [])
      }
      reaches[delivery.notification] = NotificationReach(
        channels: channels, states: numbers.flatMap { states[$0] ?? [] }, companions: numbers)
    }
    return reaches
  }

  /// Returns the notifications of a delivery's occurrence, including the delivery's notification.
  private func companions(of delivery: Delivery) throws -> Set<Int64> {
    let groups: [ChannelGroup] = [.interrupting, .collected]
    let groupNotifications = try notifications(
      of: groups.map {
        OccurrenceKey(
          delivery.occurrenceName, delivery.key, row: delivery.row, $0, round: delivery.round)
      }
    ).compactMap { $0 }
    let past = try notifications(groupNotifications.filter { $0 != delivery.notification })
    let instants = Set(past.values.map(\.past.at)).union([delivery.at])
    let keys = instants.flatMap { instant in
      // A digest may be on some of the channels only.
      (UInt8(1)..<8).map { Digest.key(at: instant, ChannelSet(rawValue: $0)) }
    }
    let digests = try notifications(
      of: keys.map { OccurrenceKey(Digest.symbol, $0, row: delivery.row, .interrupting) }
    ).compactMap { $0 }
    let members = delivery.message.members.isEmpty ? [delivery.reminder] : delivery.message.members
    let digestsWithDelivery = try notifications(digests).filter {
      Set(members).isSubset(of: $0.value.past.message.members)
    }
    return Set(groupNotifications + digestsWithDelivery.keys + [delivery.notification])
  }
}
