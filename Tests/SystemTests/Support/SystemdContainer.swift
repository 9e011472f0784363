import Glibc

/// A systemd of the tests' own, in a container that lasts as long as one script.
enum SystemdContainer {
  /// Why none can be booted here; nil if one can.
  static let obstacle: String? = {
    let reason =
      if geteuid() != 0 {
        "only root can boot one"
      } else if !mayMount {
        "this root may not mount file systems (it has no CAP_SYS_ADMIN)"
      } else if !isNspawnInstalled {
        "systemd-nspawn is not installed (make deps-test installs it)"
      } else {
        nil as String?
      }
    if let reason { print("SKIPPED: what needs a systemd is not tested: \(reason)") }
    return reason
  }()

  /// Runs a script of this directory as root in the container, in which the project is installed.
  ///
  /// - Returns: how it ended, and all that it printed.
  static func run(_ script: String) throws -> (ChildProcess.Ending, output: String) {
    let directory = Project.root + "/Tests/SystemTests/"
    let arguments = [directory + "boot-systemd.sh", Project.programs, directory + script]
    let process = try ChildProcess("/bin/bash", arguments)
    let ending = try process.finish(patience: 150)
    let output = process.output.take() + process.errors.take()
    return (ending, String(decoding: output, as: UTF8.self))
  }

  private static var isNspawnInstalled: Bool {
    let path = Project.variable("PATH") ?? ""
    return path.split(separator: ":").contains { access($0 + "/systemd-nspawn", X_OK) == 0 }
  }

  private static var mayMount: Bool {
    guard let status = try? Files.read("/proc/self/status") else { return false }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("CapEff:\t") }
    let mask = line.flatMap { UInt64($0.dropFirst(8), radix: 16) }
    return (mask ?? 0) & 1 << 21 != 0
  }
}
