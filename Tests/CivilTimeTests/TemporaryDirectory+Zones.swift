import CivilTime
import Foundation
import TestSupport

extension TemporaryDirectory {
  /// Writes the system's file of the zone `source` under the given name.
  func copyZone(_ source: String, to name: String) throws {
    try write(Self.content(ofZone: source), to: name)
  }

  func removeZone(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  static func content(ofZone name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory + "/" + name)))
  }
}
