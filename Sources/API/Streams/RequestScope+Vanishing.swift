import Glibc
import NIOCore

extension RequestScope {
  /// Lets the system end the connection when its peer has not confirmed for a while what was sent:
  /// a machine that was switched off says nothing of it, and a heartbeat alone would be sent again
  /// for a quarter of an hour.
  func noticePeersThatVanish(after limit: Duration) {
    guard case .network = origin else { return }
    let milliseconds = Int(limit.components.seconds * 1_000)
    let option = ChannelOptions.Types.SocketOption(
      level: SocketOptionLevel(IPPROTO_TCP), name: SocketOptionName(TCP_USER_TIMEOUT))
    _ = channel.setOption(option, value: milliseconds)
  }
}
