internal import Glibc

/// Resolves a host name to addresses.
package struct AddressResolver: Sendable {
  /// Resolves a name; blocks the thread until the answer.
  package let addresses: @Sendable (_ host: String) throws(HTTPTransferError) -> [NetworkAddress]

  package init(
    _ addresses: @escaping @Sendable (_ host: String) throws(HTTPTransferError) -> [NetworkAddress]
  ) {
    self.addresses = addresses
  }

  /// The system's resolver: hosts file and name servers.
  package static let system = AddressResolver { host throws(HTTPTransferError) in
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      throw .unreachable("its name cannot be resolved: \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { address(of: $0) }
  }

  private static func address(of entry: UnsafeMutablePointer<addrinfo>?) -> NetworkAddress? {
    guard let entry = entry?.pointee, let socket = UnsafeRawPointer(entry.ai_addr) else {
      return nil
    }
    switch entry.ai_family {
    case AF_INET:
      let address = socket.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: address) { NetworkAddress(.four, bytes: $0) }
    case AF_INET6:
      let address = socket.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: address) { NetworkAddress(.six, bytes: $0) }
    default:
      return nil
    }
  }
}
