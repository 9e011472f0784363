internal import Glibc

/// Whom the files of a state directory belong to.
enum DirectoryOwner {
  /// Whose a directory is that root makes, where there is such a user.
  static let serviceUser = "chimed"

  /// Has root go on as the owner of a directory, for good: all that it makes there is the owner's
  /// own, and no link that the owner has laid in it leads root elsewhere. Anybody else stays who
  /// they are.
  ///
  /// - Parameter directory: made if absent.
  static func become(of directory: String) throws(StoreError) {
    guard geteuid() == 0 else { return }
    try make(directory)
    var status = stat()
    guard stat(directory, &status) == 0 else { throw unusable(directory) }
    let (user, group) = (status.st_uid, status.st_gid)
    guard user != 0 else { return }
    guard setgroups(0, nil) == 0, setgid(group) == 0,
      setuid(user) == 0
    else { throw unusable(directory) }
  }

  private static func make(_ directory: String) throws(StoreError) {
    guard mkdir(directory, 0o700) == 0 else {
      guard errno == EEXIST else { throw unusable(directory) }
      return
    }
    guard let user = getpwnam(serviceUser)?.pointee else { return }
    guard chown(directory, user.pw_uid, user.pw_gid) == 0 else { throw unusable(directory) }
  }

  private static func unusable(_ directory: String) -> StoreError {
    .unreadable(directory: directory, reason: String(cString: strerror(errno)))
  }
}
