import HTTPTypes
import JSON

extension Operation {
  static let createConsoleTicket = Operation(
    identifier: "createConsoleTicket", summary: "Make a ticket that opens the console once",
    details: "It is good for a minute. Over the Unix socket alone.",
    body: Body(Content(schema: .of(ConsoleTicketBody.self), example: ["scope": "support"])),
    answers: [
      Answer(
        status: .created, "Where to open the console with it", .of(ConsoleTicketPayload.self))
    ],
    problems: [.invalidBody])

  static let openConsole = Operation(
    identifier: "openConsole", summary: "Exchange a ticket for a token that holds for 12 hours",
    body: Body(Content(schema: .of(ConsoleBody.self))),
    answers: [Answer(status: .created, "The token", .reference(.token))],
    problems: [.unknownToken, .invalidBody, .tooManyRequests])

  static let consoleSession = Operation(
    identifier: "consoleSession", summary: "Who it is that asks, and what they may ask for",
    answers: [Answer("The caller", .of(SessionPayload.self))])

  static let closeConsole = Operation(
    identifier: "closeConsole", summary: "End the token that the request brings",
    answers: [Answer(status: .noContent, "It is ended")], problems: [.unknownToken])
}
