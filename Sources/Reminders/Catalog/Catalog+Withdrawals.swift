import Yams

extension Catalog {
  /// Returns whether the service withdraws a delivery when its notification no longer applies (rule
  /// D16). The reminder decides, or for a requested notification, the category.
  package func withdraws(_ delivery: Delivery) -> Bool {
    guard delivery.reminder != Reminder.requested else {
      return category(of: delivery)?.withdraws ?? false
    }
    return reminder(Symbol(delivery.reminder))?.withdraws ?? false
  }

  /// Returns whether an event may end a delivered notification, so that the service withdraws it.
  package func mayWithdraw(after event: Event) -> Bool {
    switch event.content {
    case .happening, .report: withdrawalCauses.contains(event.symbol)
    case .relation: hasWithdrawals
    case .requestCancellation: categories.contains(where: \.withdraws)
    default: false
    }
  }

  /// Returns whether events of a type may end a delivery's occurrence or a repetition of that
  /// occurrence.
  package func mayEnd(_ delivery: Delivery, _ type: Symbol) -> Bool {
    guard let reminder = reminder(Symbol(delivery.reminder)) else {
      return type == Symbol("notification.cancelled")
    }
    if reminder.recipientRole != nil, type == Symbol("relation.removed") { return true }
    return chain(of: reminder).compactMap { self.reminder($0) }
      .contains { $0.endingEvents.contains(type) }
  }
}

extension Reminder {
  /// The events after which an occurrence may no longer apply.
  var endingEvents: [Symbol] {
    let ending: [Symbol] =
      switch trigger {
      case .calendar(let trigger):
        (trigger.until?.events ?? []) + (trigger.pause?.event.events ?? [])
          + (trigger.series?.cancelledBy.flatMap(\.events) ?? [])
      case .after(let trigger): trigger.cancelledBy.flatMap(\.events) + [trigger.event]
      case .milestone(let trigger): trigger.since
      case .items(let trigger): trigger.cancelledBy.flatMap(\.events) + [trigger.event]
      case .plan(let trigger):
        trigger.cancelledBy.flatMap(\.events) + (trigger.until?.events ?? [])
          + (trigger.pause?.event.events ?? []) + [trigger.event]
      case .idle(let trigger): trigger.events
      case .request: []
      }
    return ending + (terms?.unless.flatMap(\.events) ?? [])
  }
}

extension CatalogReader {
  /// Reads `withdraw: true` of a reminder. Without it, the value of the category applies.
  mutating func withdraws(_ parts: [String: Node], category: Int?) -> Bool {
    if let node = parts["withdraw"] { return toggle(node, "withdraw") ?? false }
    guard let category, catalog.categories.indices.contains(category) else { return false }
    return catalog.categories[category].withdraws
  }
}
