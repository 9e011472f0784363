import Glibc

/// Looks whether files can be written, without opening any.
package enum WritableFile {
  /// Whether a file can be written to, or made where it is missing.
  package static func check(_ path: String) throws(UnusablePath) {
    var status = stat()
    guard stat(path, &status) == 0 else { return try checkDirectory(parent(of: path)) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw UnusablePath(path, "is a directory; the sink needs a file")
    }
    guard access(path, R_OK | W_OK) == 0 else {
      throw UnusablePath(path, "cannot be written to: \(String(cString: strerror(errno)))")
    }
  }

  /// Whether files can be made in a directory.
  package static func checkDirectory(_ directory: String) throws(UnusablePath) {
    var status = stat()
    guard stat(directory, &status) == 0, access(directory, W_OK | X_OK) == 0 else {
      throw UnusablePath(directory, "cannot be written to: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw UnusablePath(directory, "is not a directory")
    }
  }

  /// The directory that holds what a path names.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// A path that the configuration names and that would not do.
package struct UnusablePath: Error, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path) \(reason); give another, or give the service's user the right to it"
  }
}
