import API
import Glibc
import Systemd

/// The package's socket unit, which replaces the setting `listen`.
enum SocketUnit {
  /// Whether systemd passed listening sockets to this process (sd_listen_fds(3)).
  static var isActive: Bool {
    getenv("LISTEN_PID").flatMap { Int32(String(cString: $0)) } == getpid()
  }

  /// The addresses of the sockets from systemd, and the command that changes the addresses.
  static var summary: String {
    let sockets = (try? ListenSocket.inherited()) ?? []
    let addresses = sockets.compactMap { APIServer.address(ofSocket: $0.descriptor) }
    return addresses.joined(separator: ", ") + " (from systemd: \(remedy))"
  }

  /// How to change the addresses.
  static let remedy = "set ListenStream= with `systemctl edit chimed.socket`"

  static var isInstalled: Bool {
    let directories = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
    return directories.contains { access($0 + "/chimed.socket", F_OK) == 0 }
  }
}
