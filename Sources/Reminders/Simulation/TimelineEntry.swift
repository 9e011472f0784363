package import CivilTime
package import JSON

extension TimelineEntry {
  /// Appends the entry as one line of NDJSON (rule L1).
  ///
  /// - Parameter isExplained: whether to add the findings of all gates.
  package func write(to writer: inout JSONWriter, isExplained: Bool) {
    writer.beginObject()
    writer.member("at", at.description)
    writer.member("recipient", recipient)
    writer.member("reminder", message.reminder)
    writer.member("category", message.category)
    writer.member("channel", channel.name)
    writer.member("outcome", outcome.name)
    writer.member("planned", planned.description)
    writer.key(constant: "reasons")
    writer.beginArray()
    for reason in trace.reasons { writer.value(reason) }
    writer.endArray()
    if trace.runLength > 1 { writer.member("missed", trace.runLength) }
    writer.member("title", shownMessage.title)
    writer.member("body", shownMessage.body(on: channel, hints))
    if isSilent { writer.member("silent", true) }
    if outcome == .delivered { hints.write(for: channel, isSilent: isSilent, to: &writer) }
    if !message.members.isEmpty { writeDigest(to: &writer) }
    if isExplained { writeTrace(to: &writer) }
    writer.endObject()
    writer.endLine()
  }

  /// Writes the reminders of a digest's members (rule V14).
  private func writeDigest(to writer: inout JSONWriter) {
    writer.key(constant: "digest")
    writer.beginArray()
    for reminder in message.members { writer.value(reminder) }
    writer.endArray()
  }

  private func writeTrace(to writer: inout JSONWriter) {
    writer.key(constant: "trace")
    writer.beginObject()
    for gate in Gate.allCases {
      guard let word = trace.word(for: gate) else { continue }
      writer.key(gate.reason)
      writer.value(word)
    }
    writer.endObject()
  }
}

/// One line of a timeline: a delivery or a drop (rule L1).
package struct TimelineEntry: Sendable {
  /// The instant of the delivery; for a drop, the planned instant.
  package var at: Instant
  /// The id of the recipient.
  package var recipient: String
  /// The index of the recipient's name among the sorted names of all recipients.
  package var recipientIndex: Int
  /// The recipient's zone at the instant of the entry.
  package var zone: Zone
  package var channel: Channel
  package var outcome: Outcome
  /// The planned instant, or the end of a snooze.
  package var planned: Instant
  /// The findings of all gates.
  package var trace: GateTrace
  package var isSilent: Bool
  package var hints: Hints
  package var message: Message

  /// The message as the channel shows it.
  package var shownMessage: Message { message.shown(on: channel, hints) }
}

extension [TimelineEntry] {
  /// The number of entries that a thread writes at a time.
  private static let shareSize = 2_048

  /// Returns all entries as lines of NDJSON, in consecutive pieces.
  ///
  /// - Parameter loop: writes the pieces, in any order and on several threads.
  package func lines(isExplained: Bool, by loop: Simulation.Loop) -> [[UInt8]] {
    let shares = (count + Self.shareSize - 1) / Self.shareSize
    var pieces = [[UInt8]](repeating: [], count: shares)
    pieces.withUnsafeMutableBufferPointer { pieces in
      // Only one thread uses each share.
      nonisolated(unsafe) let pieces = pieces
      loop(shares) { share in
        var writer = JSONWriter(reservingCapacity: Self.shareSize * 256)
        let first = share * Self.shareSize
        for index in first..<Swift.min(first + Self.shareSize, count) {
          self[index].write(to: &writer, isExplained: isExplained)
        }
        pieces[share] = writer.bytes
      }
    }
    return pieces
  }

  /// Returns the entries in the order of a timeline: by instant, recipient, reminder, channel.
  /// Entries are large, so small keys are sorted instead, and then each entry is copied once.
  func inOrder() -> [TimelineEntry] {
    withUnsafeBufferPointer { entries in
      entries.indices.map {
        SortKey(at: entries[$0].at, recipient: entries[$0].recipientIndex, index: $0)
      }
      .sorted { one, other in
        if one.at != other.at { return one.at < other.at }
        if one.recipient != other.recipient { return one.recipient < other.recipient }
        return Self.isBefore(entries[one.index], entries[other.index])
      }
      .map { entries[$0.index] }
    }
  }

  private struct SortKey {
    var at: Instant
    var recipient: Int
    var index: Int
  }

  /// Compares two entries of one recipient at one instant.
  private static func isBefore(_ left: TimelineEntry, _ right: TimelineEntry) -> Bool {
    if left.message.reminder != right.message.reminder {
      return left.message.reminder < right.message.reminder
    }
    return left.channel.rawValue < right.channel.rawValue
  }
}
