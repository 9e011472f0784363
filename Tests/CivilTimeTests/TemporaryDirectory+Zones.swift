import CivilTime
import Foundation
import TestSupport

extension TemporaryDirectory {
  /// Puts the system's file for a zone in the place of another's.
  func copyZone(_ source: String, to name: String) throws {
    try write(Self.content(ofZone: source), to: name)
  }

  /// Removes a zone's file.
  func removeZone(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  static func content(ofZone name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory + "/" + name)))
  }
}
