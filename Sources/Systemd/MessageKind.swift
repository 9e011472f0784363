/// The kinds of journal messages, each with an id. The message catalog, systemd/chimed.catalog,
/// explains each id, and `journalctl MESSAGE_ID=...` searches for it. A released id keeps its
/// meaning.
package enum MessageKind: Sendable, CaseIterable {
  case started
  case stopping
  case stopped
  /// Configuration and catalogs were read again and are now current.
  case reloaded
  /// Configuration or catalogs were read again and are invalid; the previous ones stay in use.
  case reloadRejected
  /// An administrator or support has changed something; `CHIME_ACTOR` names the actor (rule H5).
  case changed
  /// The wall clock was set, or the machine was resumed from suspension.
  case clockStepped
  /// The clock is far behind the newest record; nothing fires (rule T12).
  case clockSuspect
  /// The clock has advanced by more than the time that has passed; it is not trusted yet (rule T6).
  case clockDoubted
  /// A clock that was not trusted is trusted again.
  case clockTrusted
  /// The system's tz database was updated; occurrences by local time were replanned (rule T1).
  case zoneDatabaseChanged
  /// The system's tz database has changed and is unusable; the previous one stays in use.
  case zoneDatabaseRejected
  case notificationDelivered
  /// Gates hold the occurrence until an instant (rule V2).
  case notificationHeld
  /// Gates drop the occurrence, or it has expired (rule V2).
  case notificationDropped
  /// Many occurrences were due at one instant; one entry summarizes them.
  case notificationsSummarized
  /// An attempt failed; the same sink will try again (rule D2).
  case deliveryRetried
  /// A sink rejected a delivery; the next sink of its route or the fallback channel takes over
  /// (rules D2, D7).
  case deliveryMovedOn
  /// No sink and no channel is left to try (rule D9).
  case deliveryDead
  /// Deliveries were in flight when the service ended; they are attempted again.
  case deliveriesOrphaned
  /// Events that apps submitted by SQL were rejected.
  case submissionsRefused
  /// A sink is in an outage, so that its circuit breaker has opened, or it could not be created.
  case sinkFailing
  case sinkRecovered
  /// The sink has not answered a batch for a long time.
  case sinkSlow
  /// A reload could not reopen a sink's file; the sink keeps the open one.
  case sinkKept
  /// A reload could not create a running sink again; it continues with its former settings (rule
  /// S9).
  case sinkOutdated
  /// A subsystem has made no progress for half of the time after which the service is restarted.
  case progressSlow
  /// A subsystem that made no progress makes progress again.
  case progressResumed
  /// A subsystem makes no progress; systemd is to restart the service (rule S2).
  case watchdogStalled
  /// A write to the store failed and left its state unknown; the service exits.
  case storeFailed
  /// The disk of the state directory is full; events are rejected until it has space (rule E11).
  case storageFull
  /// The store's file system is nearly full.
  case storageLow
  /// The disk has space again.
  case storageFreed
  /// Another program has locked the store; events are rejected until the store is free (rule E11).
  case storeLocked
  /// No other program locks the store any more.
  case storeUnlocked
  /// A query has found damaged data in the store (rule S10).
  case storeDamaged
  /// The store has lost acknowledged events (rule E3).
  case eventsLost
  /// The data of an erased recipient may still be in the store's files (rule H4).
  case erasureOpen
  /// The store's files contain no data of erased recipients.
  case erasureFinished
  /// Another service holds the lock of the state directory.
  case storeInUse
  /// The configuration is invalid at start; the last valid one is used (rule S6).
  case configurationReplaced
  /// A catalog is invalid at start; the service does not start.
  case catalogInvalid
  /// The configuration is invalid at start; the service does not start (rule S4).
  case configurationInvalid
  /// Another fault prevents the start, such as an address in use.
  case startFailed
  /// The service manager did not read a message of the service in time (rule S1).
  case managerUnread
  /// The service has joined its fleet as a node (rule F1).
  case fleetJoined
  /// The node could not continue its incarnation, and joins again as a new one (rule F1).
  case fleetRejoined
  /// PostgreSQL has not answered in time; the node pauses until it does (rule F4).
  case fleetDistrusted
  /// PostgreSQL answers again in time.
  case fleetTrusted
  /// PostgreSQL cannot be reached or used; no requests are served.
  case fleetUnreachable
  /// The node has evicted another node from the fleet (rule F5).
  case fleetNodeEvicted
  /// The node has gained or lost shards (rule F8).
  case fleetShardsMoved
  /// The node's clock differs from PostgreSQL's (rule F6).
  case fleetClockSkewed
  /// PostgreSQL's standbys may lack acknowledged data (rule E3).
  case standbysAsynchronous
  /// A token of an app expires soon or has expired (rule H5).
  case tokenEnding
  /// The nightly audit found no differences (rule L7).
  case auditFinished
  /// The nightly audit found recorded decisions that the replay does not yield (rule L7).
  case auditDiffers
  /// The unit has failed permanently; sent by chimed-failure@.service.
  case failed

  /// The message id: 128 bits in hexadecimal, from `systemd-id128 new`.
  package var id: String {
    switch self {
    case .started: "0b084c3d41f54646b000e470d84b72a7"
    case .stopping: "0446ca2529454e25925809de53595154"
    case .stopped: "42e2d0e6841a438c88a04ae3de4dd8fe"
    case .reloaded: "7b5ffac2f263440892bc2b972de0e28b"
    case .reloadRejected: "aa129ebc872040febc2f4ef7658c20dd"
    case .changed: "6c569ceec40b405580c2b8ff57581979"
    case .clockStepped: "88881563176b434cab003d042233e8ab"
    case .clockSuspect: "94cd30de69104adb90d663954b7f3759"
    case .clockDoubted: "6686bcc7caf04b2cbe8c85c40e648cbe"
    case .clockTrusted: "fb1b8ec9678a44e5b0ed0b53d4617993"
    case .zoneDatabaseChanged: "8b4230ee8e2d444e97fe5528278f17c5"
    case .zoneDatabaseRejected: "e8a768100ad34ce9b6153b606df22697"
    case .notificationDelivered: "9148c159c72f4a31a7e3b5361ba14034"
    case .notificationHeld: "cd159811f4e049e2b4a07e1f656dc19a"
    case .notificationDropped: "267672d54cef46ca85fe9bbb273b9e9a"
    case .notificationsSummarized: "944a5dd75e9e48dd9d5b37fb8cbc1322"
    case .deliveryRetried: "68355113d1bc418fabd95dcdbe62f01e"
    case .deliveryMovedOn: "42180d678e68443e8197c8f209d426eb"
    case .deliveryDead: "c26f1f975c5843218b9e5c678461f00b"
    case .deliveriesOrphaned: "222e8c5582c54a64a7673fd53d52b821"
    case .submissionsRefused: "a3bbb48884374fce92899a7e8493b0ec"
    case .sinkFailing: "b344b4e800a7431d98a67a8e7b43ba57"
    case .sinkRecovered: "8ad68e6d25c34524b8762d17ad1bcb77"
    case .sinkSlow: "2c1b65626e9046caafb6840c08c1aa80"
    case .sinkKept: "ed7c09437f23442383b83d8691d028e5"
    case .sinkOutdated: "43f1dbd02c7f44a39adb33d282329f4f"
    case .progressSlow: "19c43b24cd3845e0961f04e154e154be"
    case .progressResumed: "d7584271569447469f8b414b55e374a2"
    case .watchdogStalled: "e9ebcd94283d44809a5efe932f30fbf0"
    case .storeFailed: "52513e8879884d24b1aa3c0c650b6bcc"
    case .storageFull: "5394450c3dcd46afb9dadbc7b7656f3f"
    case .storageLow: "e910d967abe34ebf898d7c984a985c41"
    case .storageFreed: "be5c4c8543f84b3bb6504f5f14857ecc"
    case .storeLocked: "a2d18b782b514c788cf1cc5a17796b6b"
    case .storeUnlocked: "07140af8500841f895846385f4f9022b"
    case .storeDamaged: "0c079e69fb544dc1a8ff52aa9e80206e"
    case .eventsLost: "2ed361293b4645f3b864d6cc1fbe65ea"
    case .erasureOpen: "5a0ca79aecef446c9abf2a137affe6d0"
    case .erasureFinished: "4fe4c1e8079a4a94ab3a867a64ed2dfc"
    case .storeInUse: "3d2edae5b0014b90ac54756162df8e45"
    case .configurationReplaced: "1052de6efdb04a759283fe05db85e78b"
    case .catalogInvalid: "568796a438384ff98edbf1ec5faeec99"
    case .configurationInvalid: "c9c9f3aa3f0d47ec96779a6abba41e73"
    case .startFailed: "fabcecf115ff489888abd38581c3a60b"
    case .managerUnread: "040a38db61784a6081dbae1f541a330b"
    case .fleetJoined: "ab195fc21518e2e5560a291abfee6878"
    case .fleetRejoined: "4bdf30eeae260edea927f2e99558fed5"
    case .fleetDistrusted: "62e2cf8478183eaf06848e8476f842e6"
    case .fleetTrusted: "15736aabcfc0604d8d558bad5b7a460e"
    case .fleetUnreachable: "897e64ef6adc6fed960175cb1e063e02"
    case .fleetNodeEvicted: "5eec4cf05bed2992be6b9ebb37acec34"
    case .fleetShardsMoved: "0d9da456ed9d9275a167988c20e71871"
    case .fleetClockSkewed: "960d1e8b4bb1458dad57370093d14133"
    case .standbysAsynchronous: "bbc2c27d3b9542b4862556bb6f1b8969"
    case .tokenEnding: "d96614d30ffb45f1834683b8a2da9168"
    case .auditFinished: "d0b218685971491c8852ded9d8d9ba1e"
    case .auditDiffers: "070d2b82047c4495b9f3bb906acac6cc"
    case .failed: "e6588f47150c4fc48f35121e3e60fe33"
    }
  }
}

extension MessageKind {
  package var priority: JournalPriority {
    switch self {
    case .failed:
      .alert
    case .watchdogStalled, .storeFailed, .storeDamaged, .eventsLost:
      .critical
    case .clockSuspect, .clockDoubted, .reloadRejected, .deliveryDead, .storageFull, .storeInUse,
      .storeLocked, .configurationReplaced, .catalogInvalid, .configurationInvalid, .startFailed:
      .error
    case .zoneDatabaseRejected, .clockStepped, .sinkFailing, .sinkSlow, .sinkKept,
      .sinkOutdated, .progressSlow, .deliveriesOrphaned, .submissionsRefused,
      .storageLow, .erasureOpen, .managerUnread, .fleetRejoined, .fleetDistrusted,
      .fleetUnreachable, .fleetNodeEvicted, .fleetClockSkewed, .standbysAsynchronous, .tokenEnding,
      .auditDiffers:
      .warning
    case .changed, .clockTrusted, .reloaded, .zoneDatabaseChanged, .deliveryRetried,
      .deliveryMovedOn, .sinkRecovered, .progressResumed, .storageFreed, .storeUnlocked,
      .erasureFinished, .fleetJoined, .fleetTrusted, .auditFinished:
      .notice
    case .started, .stopping, .stopped, .notificationDelivered, .notificationHeld,
      .notificationDropped, .notificationsSummarized, .fleetShardsMoved:
      .informational
    }
  }

  /// The fields of every entry of this kind; the message catalog may use only these.
  package var fields: [JournalField] {
    switch self {
    case .clockSuspect, .clockDoubted:
      [.until]
    case .erasureOpen:
      [.since]
    case .started, .stopping, .stopped, .reloaded, .clockStepped, .clockTrusted,
      .zoneDatabaseChanged, .notificationsSummarized, .storageFreed, .storeUnlocked,
      .erasureFinished, .storeInUse, .fleetJoined, .fleetDistrusted, .fleetTrusted,
      .fleetShardsMoved, .auditFinished:
      []
    case .changed:
      [.actor, .action]
    case .reloadRejected, .zoneDatabaseRejected, .progressSlow, .progressResumed,
      .watchdogStalled, .storeFailed, .storageFull, .storeLocked, .storeDamaged, .eventsLost,
      .configurationReplaced,
      .catalogInvalid, .configurationInvalid, .startFailed, .managerUnread, .failed,
      .submissionsRefused, .fleetRejoined, .fleetUnreachable, .fleetNodeEvicted, .fleetClockSkewed,
      .standbysAsynchronous, .storageLow, .tokenEnding, .auditDiffers:
      [.reason]
    case .notificationDelivered:
      [.recipient, .reminder, .notification, .channel]
    case .notificationHeld:
      [.recipient, .reminder, .reason, .until]
    case .notificationDropped:
      [.recipient, .reminder, .reason]
    case .deliveryRetried:
      [.recipient, .notification, .channel, .sink, .reason, .until]
    case .deliveryDead, .deliveryMovedOn:
      [.recipient, .notification, .channel, .sink, .reason]
    case .sinkFailing, .sinkKept, .sinkOutdated:
      [.sink, .reason]
    case .sinkSlow, .sinkRecovered, .deliveriesOrphaned:
      [.sink]
    }
  }
}
