import ArgumentParser
import Glibc
import Systemd

/// Options for the connection to the service.
struct ConnectionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The service's socket.", valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "A remote service, such as https://chimed.example.org; by default $CHIMED_URL.",
      valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp(
      "A file with the token for --url; by default $CHIMED_TOKEN.", valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "The timeout of a reply; the default depends on the command.", valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    guard socket == nil || url == nil else {
      throw ValidationError("Give either --socket or --url.")
    }
    guard timeout.map({ $0 >= 0.1 && $0 <= 86_400 }) ?? true else {
      throw ValidationError("--timeout must be from 0.1 to 86400 seconds.")
    }
  }

  /// Finds the service, and runs the body with a client of the service.
  ///
  /// - Parameter defaultTimeout: the timeout of a reply in seconds, unless `--timeout` is given.
  func withClient<Result>(
    timeout defaultTimeout: Double = ServiceClient.defaultTimeout,
    _ body: (ServiceClient) async throws -> Result
  ) async throws -> Result {
    try await ServiceClient.connected(to: endpoint(), timeout: timeout ?? defaultTimeout, body)
  }

  private func endpoint() throws(CommandError) -> ServiceEndpoint {
    let environment = Console.environment
    guard socket == nil, let url = url ?? environment["CHIMED_URL"], !url.isEmpty else {
      return ServiceEndpoint(socket: try path())
    }
    let token = try tokenFile.map { (file) throws(CommandError) in
      try ServiceEndpoint.token(file: file)
    }
    return try ServiceEndpoint(url: url, token: token ?? environment["CHIMED_TOKEN"])
  }

  /// Returns the path of the service's socket: the given one, or the first that exists.
  private func path() throws(CommandError) -> String {
    if let socket { return socket }
    let environment = Console.environment
    let location = SocketLocation.client(environment: environment, user: getuid()) { path in
      access(path, F_OK) == 0
    }
    guard let location else {
      let candidates = SocketLocation.candidates(environment: environment, user: getuid())
      throw CommandError(
        .unavailable,
        "chimed is not running: there is no \(candidates.map(\.path).joined(separator: ", no "))",
        hint: ServiceClient.startHint)
    }
    do {
      try location.directory?.check(for: getuid())
    } catch {
      throw CommandError(.unavailable, "\(location.path) is not trustworthy: \(error)")
    }
    return location.path
  }
}
