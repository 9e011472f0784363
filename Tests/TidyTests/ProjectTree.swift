import Foundation

/// The project's files in the checkout, without those that tools write.
struct ProjectTree: Sendable {
  let files: [ProjectFile]
  /// Every file and directory, as paths from the top of the checkout.
  let paths: Set<String>

  /// The checkout of this file, read once.
  static let checkout = Result { try ProjectTree(readingFrom: checkoutPath) }

  private static var checkoutPath: String {
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  }

  /// Creates a tree of files, which need not exist, and of other paths without text.
  init(_ files: [ProjectFile], otherPaths: Set<String> = []) {
    self.files = files
    paths = otherPaths.union(
      files.flatMap { file in
        let segments = file.path.split(separator: "/")
        return (1...segments.count).map { segments.prefix($0).joined(separator: "/") }
      })
  }

  /// Reads every text file below `root`, except those in hidden directories of tools.
  init(readingFrom root: String) throws {
    var files: [ProjectFile] = []
    var otherPaths: Set<String> = []
    var directories = [""]
    while let directory = directories.popLast() {
      let names = try FileManager.default.contentsOfDirectory(atPath: root + "/" + directory)
      for name in names.sorted() {
        let path = directory.isEmpty ? name : directory + "/" + name
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isDirectory)
        if isDirectory.boolValue {
          let isOfProject = !name.hasPrefix(".") || Layout.hiddenDirectories.contains(name)
          if isOfProject { directories.append(path) }
        } else if let text = try? String(contentsOfFile: root + "/" + path, encoding: .utf8) {
          files.append(ProjectFile(path, text))
        } else {
          otherPaths.insert(path)
        }
      }
    }
    self.init(files, otherPaths: otherPaths)
  }

  /// The entries of the top level, sorted.
  var topLevel: [String] { paths.filter { !$0.contains("/") }.sorted() }

  /// The files and directories directly in `directory`, sorted.
  func entries(of directory: String) -> [String] {
    let segments = paths.filter { $0.hasPrefix(directory + "/") }.map { $0.split(separator: "/") }
    return Set(segments.map { String($0[1]) }).sorted()
  }

  /// The directories directly below `directory` with a matching file at any depth, sorted.
  func directories(in directory: String, holding isWanted: (ProjectFile) -> Bool) -> [String] {
    let inside = files.filter { $0.path.hasPrefix(directory + "/") && isWanted($0) }
    let segments = inside.map { $0.path.split(separator: "/") }.filter { $0.count > 2 }
    return Set(segments.map { String($0[1]) }).sorted()
  }

  func file(_ path: String) -> ProjectFile? { files.first { $0.path == path } }
}
