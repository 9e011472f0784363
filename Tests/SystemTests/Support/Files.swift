import Glibc

/// Reading, writing and comparing files in tests.
enum Files {
  /// The names in a directory; none if it does not exist.
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The contents of all files in a directory.
  static func contents(of directory: String, except ignored: Set<String> = []) throws -> [String:
    [UInt8]]
  {
    var contents: [String: [UInt8]] = [:]
    for name in names(in: directory) where !ignored.contains(name) {
      contents[name] = try read(directory + "/" + name)
    }
    return contents
  }

  static func read(_ path: String) throws -> [UInt8] {
    let inlet = Inlet(try Failure.check(path, open(path, O_RDONLY | O_CLOEXEC)))
    while !inlet.isAtEnd { inlet.read() }
    return inlet.bytes
  }

  /// Replaces the content of a file.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = try Failure.check(path, open(path, flags, 0o600))
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      rest = rest.dropFirst(try Int(Failure.check(path, Int32(clamping: count))))
    }
  }

  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }
}
