import Foundation

/// A directory that lasts as long as the value, with everything in it.
final class TemporaryDirectory {
  let path: String

  /// - Parameter inMemory: for those who open many stores and cut no real power: where a sync costs
  ///   nothing, if there is such a place.
  init(inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let isThere = inMemory && FileManager.default.isWritableFile(atPath: memory)
    let place = isThere ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    path = place.appending(path: "chimed-store-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func content(of name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path + "/" + name))
  }

  func write(_ content: Data, to name: String) throws {
    try content.write(to: URL(filePath: path + "/" + name))
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Copies everything as it is at this moment, as a crash would leave it.
  func copy(to other: TemporaryDirectory) throws {
    for name in try names { try other.write(content(of: name), to: name) }
  }
}
