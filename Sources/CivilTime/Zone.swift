internal import CCivilTime

/// A time zone in one snapshot of the system's database, a ``ZoneDatabase``. Zones of two snapshots
/// are equal if they have the same name and rules.
package struct Zone: Hashable, Sendable {
  /// The name in the database, such as "Europe/Paris".
  package let name: String
  let rules: ZoneRules

  /// Returns the zone's local date and time. Takes about 35 ns.
  package func local(at instant: Instant) -> LocalDateTime {
    let local = civil_time_local(rules.pointer, instant.seconds)
    return LocalDateTime(
      date: LocalDate(daysSinceEpoch: Int(local.days)), secondOfDay: Int(local.second_of_day))
  }

  package func date(at instant: Instant) -> LocalDate {
    local(at: instant).date
  }

  /// Returns the instant of a local time (rule T2). A time that the zone skips gives the first
  /// instant after the gap. A repeated time gives the first of its two instants. Takes about 40 ns.
  package func instant(of date: LocalDate, at time: LocalTime) -> Instant {
    instant(of: LocalDateTime(date: date, time: time))
  }

  /// Returns the instant of a local time to the second, by the rules of ``instant(of:at:)``.
  package func instant(of local: LocalDateTime) -> Instant {
    let instants = civil_time_instants(
      rules.pointer, local.date.daysSinceEpoch, Int32(truncatingIfNeeded: local.secondOfDay))
    let seconds = instants.kind == CivilTimeSkipped ? instants.transition : instants.before
    return Instant(milliseconds: seconds * 1_000)
  }

  /// Returns the zone's offset in seconds east of UTC.
  package func offsetSeconds(at instant: Instant) -> Int {
    Int(civil_time_local(rules.pointer, instant.seconds).offset)
  }

  /// Returns the abbreviation, such as "CEST", or "+0530" in zones that have none.
  package func abbreviation(at instant: Instant) -> String {
    String(cString: civil_time_abbreviation(rules.pointer, instant.seconds))
  }

  /// Returns whether the zone has the date; false if it skipped the date, as Pacific/Apia skipped
  /// 2011-12-30.
  package func hasDate(_ date: LocalDate) -> Bool {
    self.date(at: instant(of: date, at: .midnight)) == date
  }

  /// Returns the date itself, or the next one if the zone skipped it (rule T2).
  package func firstDate(from date: LocalDate) -> LocalDate {
    hasDate(date) ? date : date + 1
  }

  /// Returns the date itself, or the previous one if the zone skipped it (rule T2).
  package func lastDate(through date: LocalDate) -> LocalDate {
    hasDate(date) ? date : date - 1
  }
}

extension Zone: CustomStringConvertible {
  package var description: String { name }
}

/// The rules of a zone, which are cheap to copy. The rules of two zones are equal exactly if the
/// zones have the same name and file content.
struct ZoneRules: Hashable, @unchecked Sendable {
  // Unchecked because pointers are not Sendable. The memory at this pointer is immutable and never
  // freed.
  let pointer: OpaquePointer

  init(pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Returns nil unless the bytes are a TZif file that cctz can read.
  init?(name: String, content: [UInt8]) {
    let rules = content.withUnsafeBufferPointer { bytes in
      name.withCString { civil_time_rules($0, bytes.baseAddress, bytes.count) }
    }
    guard let rules else { return nil }
    pointer = rules
  }
}
