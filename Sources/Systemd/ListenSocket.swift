import CSystemd
import Glibc

/// A listening socket that the service manager opened and handed over (sd_listen_fds(3)). It
/// outlives this process, so clients wait through a restart instead of being refused.
package struct ListenSocket: Sendable, Equatable {
  /// FileDescriptorName= of the socket unit; "unknown" where the manager gave none.
  package let name: String
  /// Closed on exec; the process owns it.
  package let descriptor: Int32

  /// What $LISTEN_FDS hands to this process, in the manager's order; empty without one.
  package static func inherited() throws(SystemCallError) -> [ListenSocket] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let result = sd_listen_fds_with_names(0, &names)
    let count = Int(try SystemCallError.check("adopt the manager's sockets", result))
    defer { free(names) }
    return (0..<count).map { index in
      defer { free(names?[index]) }
      return ListenSocket(
        name: names?[index].map { String(cString: $0) } ?? "unknown",
        descriptor: SD_LISTEN_FDS_START + Int32(index))
    }
  }
}
