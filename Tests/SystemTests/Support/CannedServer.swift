import Dispatch
import Glibc

/// Answers every request with the same response, or answers none.
final class CannedServer {
  let path: String
  private let listener: Int32

  /// - Parameter answer: a whole HTTP response; nil to never answer and keep the connection open.
  init(at path: String, answering answer: String?) throws {
    self.path = path
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let listener = try Failure.check("socket", socket(AF_UNIX, kind, 0))
    self.listener = listener
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    _ = try Failure.check("bind to \(path)", result)
    _ = try Failure.check("listen", listen(listener, 8))
    DispatchQueue(label: "canned").async { Self.serve(listener, answer) }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func serve(_ listener: Int32, _ answer: String?) {
    var unanswered: [Int32] = []
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      guard let answer else {
        unanswered.append(connection)
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      _ = recv(connection, &buffer, buffer.count, 0)
      _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
      close(connection)
    }
    for connection in unanswered + [listener] { close(connection) }
  }
}
