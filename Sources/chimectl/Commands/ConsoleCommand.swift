import API
import ArgumentParser
import JSON

/// Lets a browser in.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Show the address that opens the console in a browser, signed in.",
    discussion: """
      chimectl console
      chimectl console --scope support
      chimectl console --recipient u1

      The address signs in one browser, once, within a minute; it then holds for twelve hours, and \
      chimectl token list has it. It alone is written to standard output.

      Where the service listens for TCP on another machine, or on none, forward what is there, as \
      with "ssh -L 7411:/run/chimed/chimed.sock HOST", and say so: --at http://localhost:7411.
      """)

  @Option(help: ArgumentHelp("The person whose own page it is.", valueName: "id"))
  var recipient: String?

  @Option(help: "What the browser may do: admin, support or observer; admin, if absent.")
  var scope: String?

  @Option(
    help: ArgumentHelp(
      "Where the browser reaches the service; by default where it listens for TCP.",
      valueName: "url"))
  var at: String?

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    guard recipient == nil || scope == nil else {
      throw ValidationError("Give either --recipient or --scope.")
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

  /// - Parameter origin: where the browser reaches the service, if that is said.
  static func address(in answer: JSONValue, at origin: String?) throws(Failure) -> String {
    let ticket = Answer<ConsoleTicketPayload>(answer)
    let path = try ticket.path
    if let origin { return String(origin.reversed().drop { $0 == "/" }.reversed()) + path }
    if let url = try ticket.url { return url }
    throw Failure(
      .unavailable, "the service listens at its Unix socket alone, where no browser comes",
      hint: "put \"listen: 7411\" into its configuration and restart it, or forward the socket and "
        + "say where with --at")
  }
}
