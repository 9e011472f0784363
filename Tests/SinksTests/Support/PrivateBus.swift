import Foundation
import TestSupport

/// A message bus for one test.
final class PrivateBus {
  let address: String
  private let directory: TemporaryDirectory
  private let daemon: Process

  init() throws {
    directory = try TemporaryDirectory()
    address = "unix:path=\(directory.path)/bus"
    try directory.write(
      """
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <policy context="default">
          <allow send_destination="*"/>
          <allow receive_sender="*"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """, to: "bus.conf")
    daemon = Process()
    daemon.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
    daemon.arguments = [
      "--config-file=\(directory.path)/bus.conf", "--nofork", "--nopidfile", "--print-address=1",
    ]
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardInput = FileHandle.nullDevice
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    // The daemon listens once it has printed its address.
    _ = try output.fileHandleForReading.read(upToCount: 1)
  }

  /// Uses SIGKILL, because the daemon inherits the blocked signals of the thread that started it.
  deinit { kill(daemon.processIdentifier, SIGKILL) }
}
