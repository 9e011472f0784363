import CSystemd
package import CivilTime
import Glibc
import Synchronization

/// Decides what time it is (rule T6), by a wall clock that anybody may set and by the time since
/// boot, which nobody can.
///
/// A wall clock that leaps far ahead though no time has passed is not believed at once: all that is
/// planned until then would fall due, and for people that cannot be taken back. If it stays there
/// for a while it is taken for right. One that is set back is believed at once, for nothing is due
/// by that.
struct ClockTrust: Sendable {
  /// What time it is taken to be.
  struct Reading: Hashable, Sendable {
    var now: Instant
    /// By how much the wall clock is ahead of that; zero while it is believed.
    var lead = TimeSpan.zero
    /// When the wall clock is believed if it stays where it is, by the time that it is taken to be;
    /// nil while it is believed.
    var release: Instant?
  }

  /// By how much a clock may leap ahead without a doubt: more than any correction of a clock that
  /// was about right, and an hour that somebody took for the change of clocks.
  static let tolerance = TimeSpan.hours(1)

  /// What both clocks said when the wall clock was believed.
  struct Anchor: Hashable, Sendable {
    var wall: Instant
    var sinceBoot: TimeSpan
  }

  private let patience: TimeSpan
  /// Of the last time.
  private(set) var anchor: Anchor
  /// By how much the wall clock was set back, all in all, since that was taken.
  private var setBack = TimeSpan.zero
  /// The lead that is in doubt, and since when.
  private var doubt: (lead: TimeSpan, since: TimeSpan)?

  /// Believes the clock as it is: when the machine starts there is nothing to judge it by. It may
  /// have been off for weeks.
  ///
  /// - Parameter patience: how long a leap has to last until it is believed.
  init(wall: Instant, sinceBoot: TimeSpan, patience: TimeSpan) {
    self.patience = patience
    anchor = Anchor(wall: wall, sinceBoot: sinceBoot)
  }

  /// Goes on from what an earlier start of the service has believed, since the same start of the
  /// machine. Who doubted begins to wait anew.
  mutating func resume(from anchor: Anchor) {
    guard anchor.sinceBoot <= self.anchor.sinceBoot else { return }
    self.anchor = anchor
  }

  mutating func read(wall: Instant, sinceBoot: TimeSpan) -> Reading {
    let expected = anchor.wall + (sinceBoot - anchor.sinceBoot)
    let lead = wall - expected
    guard lead > Self.tolerance else { return believe(wall: wall, sinceBoot: sinceBoot) }
    // One that leaps on has to last anew.
    let begun = doubt.flatMap { Self.isSame($0.lead, lead) ? $0.since : nil } ?? sinceBoot
    let rest = patience - (sinceBoot - begun)
    guard rest > .zero else { return believe(wall: wall, sinceBoot: sinceBoot) }
    doubt = (lead, begun)
    return Reading(now: expected, lead: lead, release: expected + rest)
  }

  /// Takes the wall clock for right as it is.
  @discardableResult
  mutating func believe(wall: Instant, sinceBoot: TimeSpan) -> Reading {
    let expected = anchor.wall + (sinceBoot - anchor.sinceBoot)
    if wall < expected { setBack = setBack + (expected - wall) }
    anchor = Anchor(wall: wall, sinceBoot: sinceBoot)
    doubt = nil
    return Reading(now: wall)
  }

  /// By how much the wall clock was set back since this was asked before. What was done last by the
  /// clock of before tells less: it may have been long ago.
  mutating func takeSetBack() -> TimeSpan {
    defer { setBack = .zero }
    return setBack
  }

  private static func isSame(_ left: TimeSpan, _ right: TimeSpan) -> Bool {
    max(left - right, right - left) <= tolerance
  }
}

/// What time the service takes it to be (rule T6): the one clock of the engine and of all who hand
/// something to it, for any thread.
package final class BelievedClock: Sendable {
  private let host: any EngineHost
  private let trust: Mutex<ClockTrust>

  /// - Parameter patience: how long the wall clock has to stay where it has leapt to until it is
  ///   believed.
  package init(_ host: any EngineHost, patience: TimeSpan) {
    self.host = host
    trust = Mutex(
      ClockTrust(wall: host.now(), sinceBoot: host.sinceBoot(), patience: patience))
  }

  package func now() -> Instant { read().now }

  func read() -> ClockTrust.Reading {
    trust.withLock { $0.read(wall: host.now(), sinceBoot: host.sinceBoot()) }
  }

  /// By how much the wall clock was set back since this was asked before.
  func takeSetBack() -> TimeSpan { trust.withLock { $0.takeSetBack() } }

  /// What a later start of the service goes by; nil where starts of the machine are all alike.
  var note: String? {
    guard let boot = host.boot else { return nil }
    let anchor = trust.withLock(\.anchor)
    return "\(boot) \(anchor.wall.milliseconds) \(anchor.sinceBoot.milliseconds)"
  }

  /// Goes by what an earlier start of the service has noted, if the machine goes on since.
  func resume(_ note: String) {
    let parts = note.split(separator: " ")
    guard parts.count == 3, let boot = host.boot, parts[0] == boot, let wall = Int64(parts[1]),
      let sinceBoot = Int64(parts[2])
    else { return }
    let anchor = ClockTrust.Anchor(
      wall: Instant(milliseconds: wall), sinceBoot: TimeSpan(milliseconds: sinceBoot))
    trust.withLock { $0.resume(from: anchor) }
  }

  /// Takes the wall clock for right as it is.
  func believe() {
    trust.withLock { _ = $0.believe(wall: host.now(), sinceBoot: host.sinceBoot()) }
  }
}

/// The system's clock, read by the outermost shell alone.
package enum WallClock {
  package static func now() -> Instant {
    Instant(milliseconds: milliseconds(of: CLOCK_REALTIME))
  }

  /// CLOCK_BOOTTIME since its zero: it goes on while the machine is suspended, and nobody sets it.
  package static func sinceBoot() -> TimeSpan {
    TimeSpan(milliseconds: milliseconds(of: CLOCK_BOOTTIME))
  }

  /// The kernel's name for this start of the machine.
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
