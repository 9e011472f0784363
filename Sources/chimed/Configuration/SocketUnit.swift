import Glibc

/// The package's socket unit, which replaces the setting `listen`.
enum SocketUnit {
  /// Whether systemd passed listening sockets to this process (sd_listen_fds(3)).
  static var isActive: Bool {
    getenv("LISTEN_PID").flatMap { Int32(String(cString: $0)) } == getpid()
  }

  static var isInstalled: Bool {
    let directories = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
    return directories.contains { access($0 + "/chimed.socket", F_OK) == 0 }
  }
}
