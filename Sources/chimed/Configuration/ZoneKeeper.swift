import CivilTime
import Foundation
import Reminders
import Systemd

/// Keeps the rules of all zones in the state directory, for a start without some of them (rule T4).
struct ZoneKeeper: Sendable {
  /// The state directory; nil if the service has none.
  let directory: String?
  let journal: Journal

  private static func path(in directory: String) -> String { directory + "/zones" }

  /// The rules that were kept; none if there is no such file, or it is damaged.
  static func archive(in directory: String?) -> ZoneArchive {
    guard let directory, let bytes = FileManager.default.contents(atPath: path(in: directory)),
      let archive = ZoneArchive(bytes: [UInt8](bytes))
    else { return ZoneArchive() }
    return archive
  }

  /// Waits for the disk, unless the same rules are kept already.
  func keep(_ zones: ZoneDatabase) {
    guard let directory else { return }
    let archive = zones.archive
    guard archive != Self.archive(in: directory) else { return }
    do {
      let path = Self.path(in: directory)
      try StateFile.replace(path, in: directory, with: archive.bytes)
    } catch {
      journal.send(
        message: "the rules of the time zones could not be kept for a start without them: \(error)",
        priority: .warning)
    }
  }

  /// Does so on a thread of its own.
  func keepApart(_ zones: ZoneDatabase) {
    let keeper = self
    do {
      try OperatingSystemThread(name: "zones") { keeper.keep(zones) }.detach()
    } catch {
      keep(zones)
    }
  }
}
