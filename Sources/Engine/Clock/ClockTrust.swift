import CSystemd
package import CivilTime
import Glibc
import Synchronization

/// Decides the trusted time (rule T6) from two clocks. The wall clock can be set at any time; the
/// time since boot cannot be set.
///
/// A leap, which is a large forward jump of the wall clock, is not trusted at once. Otherwise
/// everything planned up to the new time would become due, and sent notifications cannot be
/// recalled. The wall clock is trusted once the leap has lasted for `trustAfter`. A clock that is
/// set back is trusted at once, because nothing becomes due.
struct ClockTrust: Sendable {
  /// The trusted time, and how far the wall clock differs from it.
  struct Reading: Hashable, Sendable {
    /// The trusted time.
    var now: Instant
    /// How far the wall clock is ahead of `now`; zero while the wall clock is trusted.
    var lead = TimeSpan.zero
    /// The trusted time at which the wall clock will be trusted if it does not leap again; nil
    /// while the wall clock is trusted.
    var release: Instant?
  }

  /// The largest forward jump that is trusted at once. It exceeds the usual corrections of a clock,
  /// and covers the hour of a wrongly set daylight saving time.
  static let tolerance = TimeSpan.hours(1)

  /// The readings of both clocks at an instant at which the wall clock was trusted.
  struct Anchor: Hashable, Sendable {
    /// The wall clock's time at that instant; `sinceBoot` is the time since boot.
    var wall: Instant
    var sinceBoot: TimeSpan
  }

  /// How long a leap has to last until it is trusted.
  private let trustAfter: TimeSpan
  /// The latest anchor.
  private(set) var anchor: Anchor
  /// How far the wall clock was set back in total since the previous `takeSetBack`.
  private var setBack = TimeSpan.zero
  /// The wall clock's lead that is not trusted yet, and the time since boot at which that lead
  /// began.
  private var doubt: (lead: TimeSpan, since: TimeSpan)?

  /// Trusts the current wall clock. At a start there is no time to compare it with, because the
  /// machine may have been off for weeks.
  ///
  /// - Parameter trustAfter: how long a leap has to last until it is trusted
  ///   (`clock.trust-after`).
  init(wall: Instant, sinceBoot: TimeSpan, trustAfter: TimeSpan) {
    self.trustAfter = trustAfter
    anchor = Anchor(wall: wall, sinceBoot: sinceBoot)
  }

  /// Continues from the anchor of an earlier start of the service during the same boot. If the wall
  /// clock has leapt since that anchor, the wait for trust starts from the beginning.
  mutating func resume(from anchor: Anchor) {
    guard anchor.sinceBoot <= self.anchor.sinceBoot else { return }
    self.anchor = anchor
  }

  /// Returns the trusted time, given the readings of both clocks.
  mutating func read(wall: Instant, sinceBoot: TimeSpan) -> Reading {
    let expected = anchor.wall + (sinceBoot - anchor.sinceBoot)
    let lead = wall - expected
    guard lead > Self.tolerance else { return accept(wall: wall, sinceBoot: sinceBoot) }
    // After a further leap the wait starts from the beginning.
    let doubtStart = doubt.flatMap { Self.isSameLead($0.lead, lead) ? $0.since : nil } ?? sinceBoot
    let remainingDoubt = trustAfter - (sinceBoot - doubtStart)
    guard remainingDoubt > .zero else { return accept(wall: wall, sinceBoot: sinceBoot) }
    doubt = (lead, doubtStart)
    return Reading(now: expected, lead: lead, release: expected + remainingDoubt)
  }

  /// Trusts the current wall clock, whatever its lead.
  @discardableResult
  mutating func accept(wall: Instant, sinceBoot: TimeSpan) -> Reading {
    let expected = anchor.wall + (sinceBoot - anchor.sinceBoot)
    if wall < expected { setBack = setBack + (expected - wall) }
    anchor = Anchor(wall: wall, sinceBoot: sinceBoot)
    doubt = nil
    return Reading(now: wall)
  }

  /// Returns how far the wall clock was set back since the previous call. A comparison with the
  /// time of the newest record would be less exact, because that record may be old.
  mutating func takeSetBack() -> TimeSpan {
    defer { setBack = .zero }
    return setBack
  }

  private static func isSameLead(_ left: TimeSpan, _ right: TimeSpan) -> Bool {
    max(left - right, right - left) <= tolerance
  }
}

/// The trusted time of the service (rule T6): the only clock of the engine and of its clients.
/// Thread-safe.
package final class TrustedClock: Sendable {
  private let host: any EngineHost
  private let trust: Mutex<ClockTrust>

  /// - Parameter trustAfter: how long a leap has to last until it is trusted
  ///   (`clock.trust-after`).
  package init(_ host: any EngineHost, trustAfter: TimeSpan) {
    self.host = host
    trust = Mutex(
      ClockTrust(wall: host.now(), sinceBoot: host.sinceBoot(), trustAfter: trustAfter))
  }

  package func now() -> Instant { read().now }

  func read() -> ClockTrust.Reading {
    trust.withLock { $0.read(wall: host.now(), sinceBoot: host.sinceBoot()) }
  }

  /// Returns how far the wall clock was set back since the previous call.
  func takeSetBack() -> TimeSpan { trust.withLock { $0.takeSetBack() } }

  /// The boot id and the anchor as text, to be stored for a later start; nil if the boot id is
  /// unknown.
  var note: String? {
    guard let boot = host.boot else { return nil }
    let anchor = trust.withLock(\.anchor)
    return "\(boot) \(anchor.wall.milliseconds) \(anchor.sinceBoot.milliseconds)"
  }

  /// Continues from the note of an earlier start; ignores it if the machine was rebooted since.
  func resume(_ note: String) {
    let parts = note.split(separator: " ")
    guard parts.count == 3, let boot = host.boot, parts[0] == boot, let wall = Int64(parts[1]),
      let sinceBoot = Int64(parts[2])
    else { return }
    let anchor = ClockTrust.Anchor(
      wall: Instant(milliseconds: wall), sinceBoot: TimeSpan(milliseconds: sinceBoot))
    trust.withLock { $0.resume(from: anchor) }
  }

  /// Trusts the current wall clock, whatever its lead.
  func trustWallClock() {
    trust.withLock { _ = $0.accept(wall: host.now(), sinceBoot: host.sinceBoot()) }
  }
}

/// The system's clocks; only the program's outermost layer reads them.
package enum WallClock {
  package static func now() -> Instant {
    Instant(milliseconds: milliseconds(of: CLOCK_REALTIME))
  }

  /// The time since boot by CLOCK_BOOTTIME, which advances during suspension and cannot be set.
  package static func sinceBoot() -> TimeSpan {
    TimeSpan(milliseconds: milliseconds(of: CLOCK_BOOTTIME))
  }

  /// The kernel's random id of this boot; nil if it cannot be read.
  package static let boot: String? = {
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }()

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
