/// What SQLite opens: a file, by the usual way to the disk or by another that has been registered
/// under a name (a VFS), such as one that fails on demand.
struct DatabaseAddress {
  let file: String
  var vfs: String?
  /// Whether nobody writes the file, so that no log beside it is looked for.
  var isImmutable = false

  /// The file's path, or a URI of it.
  var path: String {
    var options: [String] = []
    if let vfs { options.append("vfs=\(vfs)") }
    if isImmutable { options.append("immutable=1") }
    return options.isEmpty ? file : "file:\(escaped)?\(options.joined(separator: "&"))"
  }

  private var escaped: String {
    file.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
