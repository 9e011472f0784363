import CivilTime

extension Progress {
  private static let version: UInt8 = 1
  /// The version of rows with batches. Few rows have batches.
  private static let versionWithBatches: UInt8 = 2
  /// The version of rows with batches and deliveries that count towards caps of the operator.
  private static let versionWithCapped: UInt8 = 3

  /// The compact form in the store. Instants of counted deliveries are stored as differences from
  /// the cutoff.
  package var encoded: [UInt8] {
    var writer = ByteWriter(reserving: 64)
    let version =
      !capped.isEmpty
      ? Self.versionWithCapped : batches.isEmpty ? Self.version : Self.versionWithBatches
    writer.unsigned(UInt64(version))
    writer.signed(cutoff.milliseconds)
    writer.count(finished.count)
    for entry in finished {
      writer.symbol(entry.reminder)
      writer.signed(entry.key)
      let time = entry.pickedTime.map { UInt64($0.minuteOfDay + 1) } ?? 0
      writer.unsigned(UInt64(entry.message) | (entry.isSent ? 256 : 0) | time << 9)
    }
    writer.count(inProgress.count)
    for entry in inProgress { entry.write(to: &writer) }
    writer.count(cancelled.count)
    for entry in cancelled { entry.write(to: &writer) }
    writer.count(countedDeliveries.count)
    for instant in countedDeliveries { writer.signed(instant.milliseconds - cutoff.milliseconds) }
    if version >= Self.versionWithBatches {
      writer.count(batches.count)
      for batch in batches { batch.write(to: &writer) }
    }
    if version == Self.versionWithCapped {
      writer.count(capped.count)
      for delivery in capped { delivery.write(to: &writer) }
    }
    return writer.bytes
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(CodingFailure) {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard (Self.version...Self.versionWithCapped).contains(version) else {
      throw CodingFailure.version(version)
    }
    self.init(cutoff: Instant(milliseconds: try reader.signed()))
    for _ in 0..<(try reader.count()) {
      var entry = Finished(reminder: try reader.symbol(), key: try reader.signed(), message: 0)
      let message = try reader.unsigned()
      (entry.message, entry.isSent) = (UInt8(truncatingIfNeeded: message), message & 256 != 0)
      entry.pickedTime = LocalTime(minuteOfDay: Int(message >> 9 & 0xfff) - 1)
      finished.append(entry)
    }
    for _ in 0..<(try reader.count()) { inProgress.append(try InProgress(from: &reader)) }
    sortByDue()
    for _ in 0..<(try reader.count()) { cancelled.append(try Cancelled(from: &reader)) }
    for _ in 0..<(try reader.count()) {
      countedDeliveries.append(Instant(milliseconds: try reader.signed() &+ cutoff.milliseconds))
    }
    if version >= Self.versionWithBatches {
      for _ in 0..<(try reader.count()) { batches.append(try Batch(from: &reader)) }
    }
    if version == Self.versionWithCapped {
      for _ in 0..<(try reader.count()) { capped.append(try CapCountedDelivery(from: &reader)) }
    }
    try reader.finish()
  }
}

extension Progress.InProgress {
  /// Bits for the channel group, the state, and the presence of each optional value.
  private var flags: UInt64 {
    let group = UInt64(channelGroup.rawValue)
    return group & 1 | (isSnoozed ? 2 : 0) | (group & 2) << 1 | (isWaiting ? 8 : 0)
      | (deadline == nil ? 0 : 16) | (expiryPauseEnd == nil ? 0 : 32) | (message == nil ? 0 : 64)
      | (cappedOn == nil ? 0 : 128) | (wasHeldInFormerZone ? 256 : 0) | (round == 0 ? 0 : 512)
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.symbol(reminder)
    writer.signed(key)
    writer.unsigned(flags)
    writer.signed(planned.milliseconds)
    writer.signed(due.milliseconds)
    writer.unsigned(holds.rawValue)
    writer.signed(expiryPause.milliseconds)
    if let deadline { writer.signed(deadline.milliseconds) }
    if let expiryPauseEnd { writer.signed(expiryPauseEnd.milliseconds) }
    if let message { writer.unsigned(UInt64(message)) }
    if let cappedOn { writer.signed(Int64(cappedOn.daysSinceEpoch)) }
    if let originalInstant { writer.signed(originalInstant.milliseconds) }
    if round != 0 { writer.signed(round) }
  }

  fileprivate init(from reader: inout ByteReader) throws(CodingFailure) {
    let reminder = try reader.symbol()
    let key = try reader.signed()
    let flags = try reader.unsigned()
    let group = UInt8(truncatingIfNeeded: flags & 1 | flags >> 1 & 2)
    guard flags < 1_024, let channelGroup = ChannelGroup(rawValue: group) else {
      throw CodingFailure.version(UInt8(truncatingIfNeeded: flags))
    }
    self.init(
      reminder: reminder, key: key, channelGroup: channelGroup,
      planned: Instant(milliseconds: try reader.signed()),
      due: Instant(milliseconds: try reader.signed()),
      holds: GateTrace(rawValue: try reader.unsigned()))
    expiryPause = TimeSpan(milliseconds: try reader.signed())
    isWaiting = flags & 8 != 0
    wasHeldInFormerZone = flags & 256 != 0
    if flags & 16 != 0 { deadline = Instant(milliseconds: try reader.signed()) }
    if flags & 32 != 0 { expiryPauseEnd = Instant(milliseconds: try reader.signed()) }
    if flags & 64 != 0 { message = UInt8(truncatingIfNeeded: try reader.unsigned()) }
    if flags & 128 != 0 {
      cappedOn = LocalDate(daysSinceEpoch: Int(Int32(truncatingIfNeeded: try reader.signed())))
    }
    if flags & 2 != 0 { originalInstant = Instant(milliseconds: try reader.signed()) }
    if flags & 512 != 0 { round = try reader.signed() }
  }
}

extension Progress.Cancelled {
  /// Bits for the cause, and the presence of each optional value.
  private var flags: UInt64 {
    UInt64(cause.rawValue) | (originalInstant == nil ? 0 : 4) | (round == 0 ? 0 : 8)
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.symbol(reminder)
    writer.signed(key)
    writer.signed(planned.milliseconds)
    writer.unsigned(flags)
    if let originalInstant { writer.signed(originalInstant.milliseconds) }
    if round != 0 { writer.signed(round) }
  }

  fileprivate init(from reader: inout ByteReader) throws(CodingFailure) {
    let (reminder, key) = (try reader.symbol(), try reader.signed())
    let planned = Instant(milliseconds: try reader.signed())
    let flags = try reader.byte()
    guard flags < 16, let cause = Cause(rawValue: flags & 3) else {
      throw CodingFailure.version(flags)
    }
    self.init(reminder: reminder, key: key, planned: planned, cause: cause)
    if flags & 4 != 0 { originalInstant = Instant(milliseconds: try reader.signed()) }
    if flags & 8 != 0 { round = try reader.signed() }
  }
}

/// The keys of one reminder's occurrences that are finished, cancelled or in progress, for repeated
/// look-ups.
struct DoneKeys {
  private var list: [Int64] = []
  /// The set that replaces `list` when there are many keys.
  private var set: Set<Int64> = []

  func contains(_ key: Int64) -> Bool {
    guard set.isEmpty else {
      Work.countStep()
      return set.contains(key)
    }
    Work.count(list.count)
    return list.contains(key)
  }

  mutating func insert(_ key: Int64) {
    if list.count < Facts.unindexedItemsMax {
      list.append(key)
    } else {
      if set.isEmpty { set = Set(list) }
      set.insert(key)
    }
  }
}

extension Progress {
  /// Returns the keys of a reminder's occurrences that are finished, cancelled or in progress, and
  /// so need no planning. The cost is linear in the recipient's progress.
  ///
  /// - Parameter alternatives: the reminders whose finished occurrences count as finished
  ///   occurrences of this reminder.
  func doneKeys(of reminder: Symbol, or alternatives: [Symbol] = []) -> DoneKeys {
    Work.count(inProgress.count + cancelled.count)
    var doneKeys = DoneKeys()
    for entry in finished
    where entry.reminder == reminder || alternatives.contains(entry.reminder) {
      doneKeys.insert(entry.key)
    }
    for entry in inProgress where entry.reminder == reminder { doneKeys.insert(entry.key) }
    for entry in cancelled where entry.reminder == reminder { doneKeys.insert(entry.key) }
    return doneKeys
  }

  /// Returns whether an occurrence is finished, cancelled or in progress.
  package func isDone(_ reminder: Symbol, key: Int64) -> Bool {
    finished.contains { $0.reminder == reminder && $0.key == key }
      || isInProgress(reminder, key: key) || isCancelled(reminder, key: key)
  }
}
