extension MessageKind {
  package var priority: JournalPriority {
    switch self {
    case .failed:
      .alert
    case .watchdogStalled, .storeFailed:
      .critical
    case .clockSuspect, .reloadRejected, .deliveryDead, .storeInUse, .catalogInvalid:
      .error
    case .zoneDatabaseRejected, .clockStepped, .notificationMissed, .sinkFailing, .sinkSlow,
      .progressSlow, .deliveriesOrphaned:
      .warning
    case .clockTrusted, .reloaded, .zoneDatabaseChanged, .deliveryRetried, .sinkRecovered:
      .notice
    case .started, .stopping, .stopped, .notificationDelivered, .notificationHeld,
      .notificationDropped:
      .informational
    }
  }

  /// The fields that every entry of this kind has; the message catalog may use these and no others.
  package var fields: [JournalField] {
    switch self {
    case .clockSuspect:
      [.until]
    case .started, .stopping, .stopped, .reloaded, .clockStepped, .clockTrusted,
      .zoneDatabaseChanged, .storeInUse:
      []
    case .reloadRejected, .zoneDatabaseRejected, .progressSlow, .watchdogStalled, .storeFailed,
      .catalogInvalid, .failed:
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
    case .sinkSlow, .sinkRecovered, .deliveriesOrphaned:
      [.sink]
    }
  }
}
