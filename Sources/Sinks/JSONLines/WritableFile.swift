import Glibc

/// Checks whether files can be written, without opening any.
package enum WritableFile {
  /// Checks that a file can be written, or created if it is missing.
  package static func check(_ path: String) throws(UnusablePathError) {
    var status = stat()
    guard stat(path, &status) == 0 else { return try checkDirectory(parent(of: path)) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw UnusablePathError(path, "is a directory; the sink needs a file")
    }
    guard access(path, R_OK | W_OK) == 0 else {
      throw UnusablePathError(path, "cannot be written to: \(String(cString: strerror(errno)))")
    }
  }

  /// Checks that files can be created in a directory.
  package static func checkDirectory(_ directory: String) throws(UnusablePathError) {
    var status = stat()
    guard stat(directory, &status) == 0, access(directory, W_OK | X_OK) == 0 else {
      throw UnusablePathError(
        directory, "cannot be written to: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw UnusablePathError(directory, "is not a directory")
    }
  }

  /// Returns the parent directory of a path.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// A configured path that the sink cannot use.
package struct UnusablePathError: Error, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path) \(reason); change the path, or give the service's user access"
  }
}
