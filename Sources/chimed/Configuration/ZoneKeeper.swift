import CivilTime
import Foundation
import Reminders
import Systemd

/// Saves the rules of all time zones in the state directory. A later start uses them for zones that
/// the tz database lacks (rule T9).
struct ZoneKeeper: Sendable {
  /// The state directory; nil if the service has none.
  let directory: String?
  let journal: Journal

  private static func path(in directory: String) -> String { directory + "/zones" }

  /// Returns the saved rules; none if the file is missing or damaged.
  static func archive(in directory: String?) -> ZoneArchive {
    guard let directory, let bytes = FileManager.default.contents(atPath: path(in: directory)),
      let archive = ZoneArchive(bytes: [UInt8](bytes))
    else { return ZoneArchive() }
    return archive
  }

  /// Saves the rules and waits for the disk, unless the same rules are already saved.
  func save(_ zones: ZoneDatabase) {
    guard let directory else { return }
    let archive = zones.archive
    guard archive != Self.archive(in: directory) else { return }
    do {
      let path = Self.path(in: directory)
      try StateFile.replace(path, in: directory, with: archive.bytes)
    } catch {
      journal.send(
        message: "the time zone rules could not be saved; a later start without a time zone "
          + "database cannot use them: \(error)",
        priority: .warning)
    }
  }

  /// Saves the rules on a separate thread.
  func saveInBackground(_ zones: ZoneDatabase) {
    let keeper = self
    do {
      try OperatingSystemThread(name: "zones") { keeper.save(zones) }.detach()
    } catch {
      save(zones)
    }
  }
}
