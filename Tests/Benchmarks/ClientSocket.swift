import Foundation

/// A non-blocking connection to a Unix socket.
struct ClientSocket {
  let descriptor: Int32

  /// The error of a failed system call.
  struct CallError: Error {
    let code = errno
  }

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let descriptor = descriptor
    let result = withAddress(of: path) { connect(descriptor, $0, $1) }
    guard result == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      defer { close() }
      throw CallError()
    }
  }

  func close() { Glibc.close(descriptor) }

  /// Sends as much as possible; returns the number of bytes.
  func send(_ bytes: ArraySlice<UInt8>) throws -> Int {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno != EAGAIN { throw CallError() }
    return max(0, count)
  }

  /// Appends the available bytes.
  func receive(into bytes: inout [UInt8]) throws {
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      // Zero bytes mean the end of the connection, which is an error here.
      guard count > 0 || (count < 0 && errno == EAGAIN) else { throw CallError() }
      if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
    }
  }
}

/// Receives the service's message that it is ready (sd_notify).
struct NoticeSocket {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let descriptor = descriptor
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard withAddress(of: path, { bind(descriptor, $0, $1) }) == 0 else {
      defer { close() }
      throw ClientSocket.CallError()
    }
  }

  func close() { Glibc.close(descriptor) }

  /// Waits until the service is ready. Returns false after half a minute without a message.
  func waitForReady() -> Bool {
    var notice = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &notice, notice.count, 0)
      guard count >= 0 else { return false }
      if String(decoding: notice[..<count], as: UTF8.self).contains("READY=1") { return true }
    }
  }
}

private func withAddress(
  of path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
