import Foundation

/// The project's files as they lie in the checkout; what tools put there is left out.
struct ProjectTree: Sendable {
  let files: [ProjectFile]
  /// Every file and directory, from the top of the checkout.
  let paths: Set<String>

  /// The checkout that this file belongs to, read once.
  static let checkout = Result { try ProjectTree(readingFrom: checkoutPath) }

  private static var checkoutPath: String {
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  }

  /// A tree of files, which need not exist, and of other paths that hold no text.
  init(_ files: [ProjectFile], otherPaths: Set<String> = []) {
    self.files = files
    paths = otherPaths.union(
      files.flatMap { file in
        let parts = file.path.split(separator: "/")
        return (1...parts.count).map { parts.prefix($0).joined(separator: "/") }
      })
  }

  /// Reads every text file below `root`, but for those in hidden directories of tools.
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
          let isOurs = !name.hasPrefix(".") || Layout.hiddenDirectories.contains(name)
          if isOurs { directories.append(path) }
        } else if let text = try? String(contentsOfFile: root + "/" + path, encoding: .utf8) {
          files.append(ProjectFile(path, text))
        } else {
          otherPaths.insert(path)
        }
      }
    }
    self.init(files, otherPaths: otherPaths)
  }

  /// What lies at the top, sorted.
  var topLevel: [String] { paths.filter { !$0.contains("/") }.sorted() }

  /// The directories right below `directory` that hold a file as described, sorted.
  func directories(in directory: String, holding isWanted: (ProjectFile) -> Bool) -> [String] {
    let inside = files.filter { $0.path.hasPrefix(directory + "/") && isWanted($0) }
    let parts = inside.map { $0.path.split(separator: "/") }.filter { $0.count > 2 }
    return Set(parts.map { String($0[1]) }).sorted()
  }

  func file(_ path: String) -> ProjectFile? { files.first { $0.path == path } }
}
