import HTTPTypes
import JSON

extension Operation {
  static let createConsoleTicket = Operation(
    identifier: "createConsoleTicket", summary: "Create a one-time ticket for the console",
    details: "The ticket is valid for one minute. Only over the Unix socket.",
    body: Body(Content(schema: .of(ConsoleTicketBody.self), example: ["scope": "support"])),
    answers: [
      Answer(
        status: .created, "The console's address with it", .of(ConsoleTicketPayload.self))
    ],
    problems: [.invalidBody])

  static let openConsole = Operation(
    identifier: "openConsole", summary: "Exchange a ticket for a token that is valid for 12 hours",
    body: Body(Content(schema: .of(ConsoleBody.self))),
    answers: [Answer(status: .created, "The token", .reference(.token))],
    problems: [.unknownToken, .invalidBody, .tooManyRequests])

  static let consoleSession = Operation(
    identifier: "consoleSession", summary: "The caller's identity and permissions",
    answers: [Answer("The caller", .of(SessionPayload.self))])

  static let closeConsole = Operation(
    identifier: "closeConsole", summary: "Revoke the token of the request",
    answers: [Answer(status: .noContent, "Revoked")], problems: [.unknownToken])
}
