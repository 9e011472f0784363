import Glibc

/// Ports for servers that need one before they run.
enum FreePort {
  /// An unused port of the loopback.
  static func any() throws -> UInt16 {
    let listener = try Failure.check("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = try Failure.check("bind", bind(listener, address, length))
        _ = try Failure.check("getsockname", getsockname(listener, address, &length))
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
