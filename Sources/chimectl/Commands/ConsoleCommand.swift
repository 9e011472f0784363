import API
import ArgumentParser
import JSON

/// Creates a link that signs a browser in to the console.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Print an address that opens the console in a browser, signed in.",
    discussion: """
      chimectl console
      chimectl console --scope support
      chimectl console --recipient u1

      The address works once, in one browser, within a minute. The session lasts twelve hours; \
      "chimectl token list" shows it. Only the address is written to standard output.

      If the service does not listen on TCP, or runs on another machine, forward its socket, for \
      example by "ssh -L 7411:/run/chimed/chimed.sock HOST", and add --at http://localhost:7411.
      """)

  @Option(help: ArgumentHelp("Open the page of this recipient.", valueName: "id"))
  var recipient: String?

  @Option(help: "The browser's scope: admin, support or observer; by default admin.")
  var scope: String?

  @Option(
    help: ArgumentHelp(
      "The address for the browser; by default the service's TCP address.",
      valueName: "url"))
  var at: String?

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    guard recipient == nil || scope == nil else {
      throw ValidationError("Give --recipient or --scope, not both.")
    }
  }

  func run() async throws {
    try await reporting {
      let scope = recipient.map { "recipient:" + $0 } ?? scope ?? "admin"
      let answer = try await options.connection.withClient {
        try await $0.post("/v1/console/tickets", ["scope": .string(scope)])
      }
      if options.json { return Console.printJSON(answer) }
      let address = try Self.address(in: answer, at: at)
      let holder = try Answer<ConsoleTicketPayload>(answer).scope
      let remark = "signs in once, within a minute, as \(holder):"
      Console.printError(remark.printable + "\n")
      Console.printOutput(address.printable + "\n")
    }
  }

  /// Returns the address of the console for a browser.
  ///
  /// - Parameter origin: the service's address as the browser reaches it, if given.
  static func address(in answer: JSONValue, at origin: String?) throws(CommandError) -> String {
    let ticket = Answer<ConsoleTicketPayload>(answer)
    let path = try ticket.path
    if let origin { return String(origin.reversed().drop { $0 == "/" }.reversed()) + path }
    if let url = try ticket.url { return url }
    throw CommandError(
      .unavailable, "the service listens only on its Unix socket, which a browser cannot reach",
      hint: "set \"listen: 7411\" in its configuration and restart it, or forward the socket and "
        + "give the address with --at")
  }
}
