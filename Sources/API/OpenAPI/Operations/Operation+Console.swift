import HTTPTypes
import JSON

extension Operation {
  static let createConsoleTicket = Operation(
    identifier: "createConsoleTicket", summary: "Create a one-time ticket for the console",
    details: "Tickets are issued only over the Unix socket, and are valid for one minute.",
    body: Body(Content(schema: .of(ConsoleTicketBody.self), example: ["scope": "support"])),
    answers: [
      Answer(
        status: .created, "The console's address with the ticket", .of(ConsoleTicketPayload.self))
    ],
    problems: [.invalidBody])

  static let openConsole = Operation(
    identifier: "openConsole", summary: "Exchange a ticket for a token that is valid for 12 hours",
    body: Body(Content(schema: .of(ConsoleSessionBody.self))),
    answers: [Answer(status: .created, "The token", .reference(.token))],
    problems: [.unknownToken, .invalidBody, .tooManyRequests])

  static let consoleSession = Operation(
    identifier: "consoleSession", summary: "The caller's identity and permissions",
    answers: [Answer("The caller", .of(SessionPayload.self))])

  static let closeConsole = Operation(
    identifier: "closeConsole", summary: "Revoke the token of the request",
    answers: [Answer(status: .noContent, "Revoked")], problems: [.unknownToken])
}
