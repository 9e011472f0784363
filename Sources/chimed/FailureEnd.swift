import API
import Engine
import Glibc
import Systemd

/// The end of a service whose store has failed (rule S7): within ten seconds, whatever hangs.
///
/// Everybody is told at once. Who is in the middle of something has two seconds to hear it; then
/// the connections are cut off, which lets the service end in order. If it does not, it ends so.
enum FailureEnd {
  private static let farewellMilliseconds: Int32 = 2_000
  private static let restMilliseconds: Int32 = 7_000

  static func begin(_ failure: StoreFailure, _ channels: OpenChannels) {
    let code = DaemonExit(failure).code
    do {
      try OperatingSystemThread(name: "failure end") {
        _ = poll(nil, 0, farewellMilliseconds)
        channels.cutOff()
        _ = poll(nil, 0, restMilliseconds)
        _exit(code)
      }.detach()
    } catch {
      // Without a thread nothing can be waited for.
      _exit(code)
    }
  }
}
