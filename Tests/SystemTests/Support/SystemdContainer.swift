import Glibc

/// A separate systemd in a container that lasts as long as one script.
enum SystemdContainer {
  /// The reason why no container can be booted here; nil if one can.
  static let obstacle: String? = {
    let reason =
      Mounting.obstacle
      ?? (Project.isInstalled("systemd-nspawn")
        ? nil : "systemd-nspawn is not installed (make deps-test installs it)")
    if let reason { print("SKIPPED: the service is not tested under systemd: \(reason)") }
    return reason
  }()

  /// Runs a script of the directory `Inside` as root in the container with the installed project.
  ///
  /// - Returns: how it ended, and its output.
  static func run(_ script: String) throws -> (ChildProcess.Ending, output: String) {
    let boot = Project.root + "/Tests/SystemTests/Inside/boot.sh"
    let arguments = [boot, Project.programs, script]
    let process = try ChildProcess("/bin/bash", arguments)
    let ending = try process.finish(timeout: 150)
    let output = process.output.take() + process.errors.take()
    return (ending, String(decoding: output, as: UTF8.self))
  }
}
