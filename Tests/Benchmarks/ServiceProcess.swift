import Foundation

/// The service in a separate process.
final class ServiceProcess {
  /// The path of the service's socket.
  let socket: String
  private let process = Process()

  /// The error if the service does not report in time that it is ready.
  struct NotReady: Error {}

  /// Starts the `chimed` beside this program, or the one in `$CHIMED`.
  init(directory: String, catalog: String = Workload.catalog) throws {
    socket = directory + "/s"
    let environment = ProcessInfo.processInfo.environment
    let sibling = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("chimed").path
    process.executableURL = URL(fileURLWithPath: environment["CHIMED"] ?? sibling)
    process.arguments = [
      "serve", "--state-directory", directory + "/state", "--socket", socket,
      "--catalog", catalog, "--sink", "jsonl:/dev/null",
    ]
    process.standardError = FileHandle.nullDevice
    let notices = try NoticeSocket(path: directory + "/n")
    defer { notices.close() }
    process.environment = environment.merging(["NOTIFY_SOCKET": directory + "/n"]) { $1 }
    try process.run()
    guard notices.waitForReady() else { throw NotReady() }
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// The processor time of all threads so far, in user and kernel mode.
  var processorSeconds: Double {
    let path = "/proc/\(process.processIdentifier)/stat"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    // The program's name, in brackets, may contain any character. So fields are counted after it.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
