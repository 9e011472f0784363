import Foundation

/// A directory that lasts as long as the value. The directory is in memory if possible, because a
/// simulated disk decides what a power cut leaves.
final class Workspace {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let isThere = FileManager.default.isWritableFile(atPath: memory)
    let parent = isThere ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    path = parent.appending(path: "chimed-faults-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The names of the files that contain a text.
  func files(containing text: String) throws -> [String] {
    let wanted = Data(text.utf8)
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
      try Data(contentsOf: URL(filePath: path + "/" + name)).range(of: wanted) != nil
    }
  }
}
