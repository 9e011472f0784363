import Access
import Glibc

extension PeerCredentials {
  /// Nil where the system does not know.
  init?(ofSocket socket: CInt) {
    // A ucred: process, user, group.
    var credentials = [UInt32](repeating: 0, count: 3)
    var length = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      return nil
    }
    self.init(
      user: credentials[1], group: credentials[2], groups: Self.groups(ofSocket: socket))
  }

  /// A member of the service's group usually has it as one among others.
  private static func groups(ofSocket socket: CInt) -> [UInt32] {
    var length: socklen_t = 0
    // Without room, the system tells how much it takes.
    guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nil, &length) != 0, errno == ERANGE else {
      return []
    }
    let size = socklen_t(MemoryLayout<gid_t>.size)
    var groups = [gid_t](repeating: 0, count: Int(length / size))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 else { return [] }
    return Array(groups.prefix(Int(length / size)))
  }
}
