internal import CCivilTime

/// A time zone in one snapshot of the system's database. Zones of two snapshots are equal if they
/// have the same name and rules. ``ZoneDatabase`` returns them.
package struct Zone: Hashable, Sendable {
  /// The name in the database, such as "Europe/Paris".
  package let name: String
  let rules: ZoneRules

  /// The zone's local date and time; about 35 ns.
  package func local(at instant: Instant) -> LocalDateTime {
    let local = civil_time_local(rules.pointer, instant.seconds)
    return LocalDateTime(
      date: LocalDate(daysSinceEpoch: Int(local.days)), secondOfDay: Int(local.second_of_day))
  }

  package func date(at instant: Instant) -> LocalDate {
    local(at: instant).date
  }

  /// The instant of a local time: the first instant after the gap for a skipped time, the first of
  /// the two for a repeated time (rule T2); about 40 ns.
  package func instant(of date: LocalDate, at time: LocalTime) -> Instant {
    instant(of: LocalDateTime(date: date, time: time))
  }

  /// The instant of a local time with seconds, by the same rules.
  package func instant(of local: LocalDateTime) -> Instant {
    let found = civil_time_instants(
      rules.pointer, local.date.daysSinceEpoch, Int32(truncatingIfNeeded: local.secondOfDay))
    let seconds = found.kind == CivilTimeSkipped ? found.transition : found.before
    return Instant(milliseconds: seconds * 1_000)
  }

  /// Seconds east of UTC.
  package func offsetSeconds(at instant: Instant) -> Int {
    Int(civil_time_local(rules.pointer, instant.seconds).offset)
  }

  /// The abbreviation, such as "CEST", or "+0530" in zones without one.
  package func abbreviation(at instant: Instant) -> String {
    String(cString: civil_time_abbreviation(rules.pointer, instant.seconds))
  }

  /// False for a date that the zone skipped, as Pacific/Apia did 2011-12-30.
  package func hasDate(_ date: LocalDate) -> Bool {
    self.date(at: instant(of: date, at: .midnight)) == date
  }

  /// The date itself, or the next one if the zone skipped it (rule T2).
  package func firstDate(from date: LocalDate) -> LocalDate {
    hasDate(date) ? date : date + 1
  }

  /// The date itself, or the previous one if the zone skipped it (rule T2).
  package func lastDate(through date: LocalDate) -> LocalDate {
    hasDate(date) ? date : date - 1
  }
}

extension Zone: CustomStringConvertible {
  package var description: String { name }
}

/// The rules of a zone. Cheap to copy; equal exactly if name and file content are.
struct ZoneRules: Hashable, @unchecked Sendable {
  // Unchecked because pointers are not Sendable; this one points to immutable memory that is never
  // freed.
  let pointer: OpaquePointer

  init(pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Nil unless the bytes are a TZif file that cctz can read.
  init?(name: String, content: [UInt8]) {
    let rules = content.withUnsafeBufferPointer { bytes in
      name.withCString { civil_time_rules($0, bytes.baseAddress, bytes.count) }
    }
    guard let rules else { return nil }
    pointer = rules
  }
}
