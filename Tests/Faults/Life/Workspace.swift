import Foundation

/// A directory that lasts as long as this object. The directory is in memory if possible, because
/// only the simulated disk decides which writes survive a power cut.
final class Workspace {
  let path: String

  init() throws {
    let memoryDirectory = "/dev/shm"
    let isWritable = FileManager.default.isWritableFile(atPath: memoryDirectory)
    let parent =
      isWritable ? URL(filePath: memoryDirectory) : FileManager.default.temporaryDirectory
    path = parent.appending(path: "chimed-faults-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the names of the files that contain a text.
  func files(containing text: String) throws -> [String] {
    let bytes = Data(text.utf8)
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
      try Data(contentsOf: URL(filePath: path + "/" + name)).range(of: bytes) != nil
    }
  }
}
