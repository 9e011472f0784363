import JSON
import Testing

@testable import chimectl

@Suite struct CommandErrorTests {
  typealias Row = (status: Int, problem: JSONValue?, code: CommandError.Code, text: String)

  static let problems: [Row] = [
    (
      422, ["detail": "type \"relaps\" is not declared; did you mean \"relapse\"?"], .data,
      "error: type \"relaps\" is not declared\nhint: did you mean \"relapse\"?\n"
    ),
    (
      422, ["detail": "data.day must be from 1 to 30; it is 31"], .data,
      "error: data.day must be from 1 to 30; it is 31\n"
    ),
    (
      404, ["type": "urn:chimed:problem:unknown-recipient", "detail": "nothing is known"],
      .noInput,
      """
      error: nothing is known
      hint: chimectl event recipient.updated --recipient ID timezone=Europe/Paris

      """
    ),
    (503, ["detail": "the service is stopping"], .temporary, "error: the service is stopping\n"),
    (507, nil, .temporary, "error: the service answered 507\n"),
    (429, nil, .temporary, "error: the service answered 429\n"),
    (500, nil, .software, "error: the service answered 500\n"),
    (502, nil, .unavailable, "error: the service answered 502\n"),
    (401, nil, .noPermission, "error: the service answered 401\n"),
    (
      403, ["type": "urn:chimed:problem:forbidden", "detail": "not yours"], .noPermission,
      "error: not yours\nhint: run it as root, as the service's user or as a member of its group\n"
    ),
    (
      422, ["type": "urn:chimed:problem:reload-rejected", "detail": "a.yaml: it is empty"],
      .configuration, "error: a.yaml: it is empty\n"
    ),
    (400, "?", .data, "error: the service answered 400\n"),
    (
      404, ["detail": "there is no token \"a\"; GET /v1/tokens lists them, each with its id"],
      .noInput,
      "error: there is no token \"a\"; chimectl token list lists them, each with its id\n"
    ),
    (
      403,
      ["type": "urn:chimed:problem:forbidden", "detail": "this needs the scope admin"],
      .noPermission, "error: this needs the scope admin\n"
    ),
    (422, ["detail": "a\u{1b}b"], .data, "error: a\\u001bb\n"),
  ]

  @Test(arguments: problems)
  func `a problem is printed as error and hint`(
    status: Int, problem: JSONValue?, code: CommandError.Code, text: String
  ) {
    let failure = CommandError(status: status, problem: problem)
    #expect(failure.code == code)
    #expect(failure.text == text)
  }
}
