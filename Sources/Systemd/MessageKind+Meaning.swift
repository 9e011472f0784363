extension MessageKind {
  package var priority: JournalPriority {
    switch self {
    case .failed:
      .alert
    case .watchdogStalled, .storeFailed, .eventsLost:
      .critical
    case .clockSuspect, .clockDoubted, .reloadRejected, .deliveryDead, .storageFull, .storeInUse,
      .configurationReplaced, .catalogInvalid, .configurationInvalid, .startFailed:
      .error
    case .zoneDatabaseRejected, .clockStepped, .notificationMissed, .sinkFailing, .sinkSlow,
      .sinkKept, .progressSlow, .deliveriesOrphaned, .erasureOpen:
      .warning
    case .changed, .clockTrusted, .reloaded, .zoneDatabaseChanged, .deliveryRetried, .sinkRecovered,
      .progressResumed, .storageFreed, .erasureFinished:
      .notice
    case .started, .stopping, .stopped, .notificationDelivered, .notificationHeld,
      .notificationDropped, .notificationsSummarized:
      .informational
    }
  }

  /// The fields that every entry of this kind has; the message catalog may use these and no others.
  package var fields: [JournalField] {
    switch self {
    case .clockSuspect, .clockDoubted:
      [.until]
    case .erasureOpen:
      [.since]
    case .started, .stopping, .stopped, .reloaded, .clockStepped, .clockTrusted,
      .zoneDatabaseChanged, .notificationsSummarized, .storageFreed, .erasureFinished, .storeInUse:
      []
    case .changed:
      [.actor, .action]
    case .reloadRejected, .zoneDatabaseRejected, .progressSlow, .progressResumed,
      .watchdogStalled, .storeFailed, .storageFull, .eventsLost, .configurationReplaced,
      .catalogInvalid, .configurationInvalid, .startFailed, .failed:
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
    case .sinkFailing, .sinkKept:
      [.sink, .reason]
    case .sinkSlow, .sinkRecovered, .deliveriesOrphaned:
      [.sink]
    }
  }
}
