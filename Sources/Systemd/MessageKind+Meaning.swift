extension MessageKind {
  package var priority: JournalPriority {
    switch self {
    case .failed:
      .alert
    case .watchdogStalled, .storeFailed:
      .critical
    case .reloadRejected, .deliveryDead, .storeInUse, .catalogInvalid:
      .error
    case .clockStepped, .notificationMissed, .sinkFailing, .sinkSlow, .progressSlow:
      .warning
    case .reloaded, .zoneDatabaseChanged, .deliveryRetried, .sinkRecovered:
      .notice
    case .started, .stopping, .stopped, .notificationDelivered, .notificationHeld,
      .notificationDropped:
      .informational
    }
  }

  /// The fields that every entry of this kind has; the message catalog may use these and no others.
  package var fields: [JournalField] {
    switch self {
    case .started, .stopping, .stopped, .reloaded, .clockStepped, .zoneDatabaseChanged, .storeInUse:
      []
    case .reloadRejected, .progressSlow, .watchdogStalled, .storeFailed, .catalogInvalid, .failed:
      [.reason]
    case .notificationDelivered:
      [.recipient, .reminder, .notification, .channel, .sink]
    case .notificationHeld:
      [.recipient, .reminder, .reason, .until]
    case .notificationDropped:
      [.recipient, .reminder, .reason]
    case .notificationMissed:
      [.recipient, .reminder]
    case .deliveryRetried:
      [.recipient, .notification, .channel, .sink, .reason, .until]
    case .deliveryDead:
      [.recipient, .notification, .channel, .sink, .reason]
    case .sinkFailing:
      [.sink, .reason]
    case .sinkSlow, .sinkRecovered:
      [.sink]
    }
  }
}
