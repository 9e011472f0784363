/// A start that must fail: the service ends itself with an error.
struct FailedStart {
  /// The exit status; nil if the service started, or was ended by a signal.
  let code: Int32?
  /// The service's log.
  let message: String

  init(_ workspace: Workspace, _ arguments: [String]) throws {
    let service = try Service(workspace, arguments: arguments)
    while !service.isReady && !service.hasEnded { try service.readOutput() }
    message = service.log
    guard !service.isReady, case .exited(let code) = try service.process.finish() else {
      code = nil
      return
    }
    self.code = code
  }
}
