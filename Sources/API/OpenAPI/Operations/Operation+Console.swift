import HTTPTypes
import JSON

extension Operation {
  static let createConsoleTicket = Operation(
    identifier: "createConsoleTicket", summary: "Make a ticket that opens the console once",
    details: "It is good for a minute. Over the Unix socket alone.",
    body: Body(Content(schema: .object(.optional("scope", scope)), example: ["scope": "support"])),
    answers: [
      Answer(
        status: .created, "Where to open the console with it", .of(ConsoleTicketPayload.self))
    ],
    problems: [.unacceptableToken, .invalidBody])

  static let openConsole = Operation(
    identifier: "openConsole", summary: "Exchange a ticket for a token that holds for 12 hours",
    body: Body(Content(schema: .object(.init("ticket", .text)))),
    answers: [Answer(status: .created, "The token", .reference(.token))],
    problems: [.unknownToken, .invalidBody, .tooManyRequests])

  static let consoleSession = Operation(
    identifier: "consoleSession", summary: "Who it is that asks, and what they may ask for",
    answers: [Answer("The caller", .of(SessionPayload.self))])

  static let closeConsole = Operation(
    identifier: "closeConsole", summary: "End the token that the request brings",
    answers: [Answer(status: .noContent, "It is ended")], problems: [.unknownToken])

  private static let scope = Schema.text.example("support")
    .described("admin, support, observer, or recipient: and a recipient's id")
}
