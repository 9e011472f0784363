import CPostgres

/// A connection to a server, in pipeline mode. Statements are sent without waiting for their
/// results, which are read later in the same order. Not thread-safe.
///
/// After a failed statement the server skips all later statements up to the next sync point.
package final class PostgresConnection {
  /// A request that was sent and whose result is not read yet.
  private enum UnreadRequest {
    /// A statement that was sent by `send` or `query`.
    case statement
    /// The preparation of the statement with this text.
    case preparation(of: String)
    /// A query that was sent by `ask`.
    case question(Question)
  }

  /// Identifies a query whose rows are read later.
  package struct Question: Hashable {
    fileprivate let number: Int
  }

  /// libpq's connection.
  private let connection: OpaquePointer
  private let socket: PostgresSocket
  /// Closes the connection from another thread; nil if no other thread can close it.
  private let cut: PostgresCut?
  /// The timeout of one read of results; nil for none.
  private let timeout: Duration?
  /// Whether a read of results has timed out. The connection is then closed.
  package private(set) var isSilent = false
  /// The name of each prepared statement by the statement's text. A name is added when the
  /// preparation is sent.
  private var statementNames: [String: String] = [:]
  /// How many names were used, so that no name is used twice.
  private var nameCount = 0
  /// The requests whose results are not read yet, the oldest first.
  private var unreadRequests: [UnreadRequest] = []
  /// Whether nothing was sent since the last sync point. At a sync point the server resumes after a
  /// failure.
  private var isSynced = true
  /// The first failure since the last sync point; the server skips all later statements.
  private var failure: PostgresError?
  /// How many questions were asked, so that no number is used twice.
  private var questionCount = 0
  /// The results of questions that were read before `readAnswer` was called for them.
  private var answers: [Question: OpaquePointer] = [:]
  /// Whether the unread results include that of a COMMIT.
  private var isCommitting = false

  /// - Parameters:
  ///   - location: a connection string of libpq ("host=... dbname=...") or a URI.
  ///   - settings: additional settings of the session.
  ///   - timeout: the timeout of one read of results. When it expires, the connection is closed.
  ///   - cut: closes the connection from another thread.
  package init(
    _ location: String, settings: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    endedBy cut: PostgresCut? = nil
  ) throws(PostgresError) {
    (self.timeout, self.cut) = (timeout, cut)
    let connection = try Self.connection(to: location, settings)
    guard let socket = PostgresSocket(PQsocket(connection)) else {
      PQfinish(connection)
      throw .unreachable(reason: "too many files are open")
    }
    (self.connection, self.socket) = (connection, socket)
    cut?.add(socket)
    PQenterPipelineMode(connection)
  }

  /// Opens a connection with the required and the given settings.
  private static func connection(
    to location: String, _ settings: KeyValuePairs<String, String>
  ) throws(PostgresError) -> OpaquePointer {
    let options = (Array(requiredSettings) + Array(settings)).map { "-c \($0)=\($1)" }
      .joined(separator: " ")
    guard let connection = chime_postgres_connect(location, options) else {
      throw .unreachable(reason: "no memory for a connection")
    }
    guard PQstatus(connection) == CONNECTION_OK else {
      defer { PQfinish(connection) }
      throw .unreachable(reason: trimmed(PQerrorMessage(connection)))
    }
    return connection
  }

  /// The settings of every session, on which statements rely. They override the settings of the
  /// role, the database and the server.
  package static let requiredSettings: KeyValuePairs = [
    "standard_conforming_strings": "on", "transform_null_equals": "off", "array_nulls": "on",
    "default_transaction_read_only": "off", "default_transaction_deferrable": "off",
    "lock_timeout": "0", "idle_session_timeout": "0",
  ]

  deinit {
    forgetAnswers()
    cut?.remove(socket)
    PQfinish(connection)
  }

  /// The process id of the session's server process.
  package var serverProcessID: Int32 { PQbackendPID(connection) }

  /// The server's version as libpq gives it, for example 170004 for 17.4.
  package var serverVersion: Int32 { PQserverVersion(connection) }

  /// Whether the connection is usable, as far as is known.
  package var isUsable: Bool { PQstatus(connection) == CONNECTION_OK }

  // MARK: - Statements

  /// Sends a statement and ignores its rows. A failure is thrown by a later call that waits.
  package func send(
    _ statement: String, _ parameters: [PostgresParameter] = []
  ) throws(PostgresError) {
    try send(statement, parameters, as: .statement)
  }

  private func send(
    _ statement: String, _ parameters: [PostgresParameter], as request: UnreadRequest
  ) throws(PostgresError) {
    isSynced = false
    let name = try prepare(statement, parameters)
    let isSent = Self.withPointers(to: parameters) { values, lengths in
      let formats = [Int32](repeating: 1, count: parameters.count)
      return PQsendQueryPrepared(
        connection, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw disconnection }
    unreadRequests.append(request)
  }

  /// Sends a statement and calls `body` with each row of its result. Waits for the results of all
  /// earlier statements too.
  package func query(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Void
  ) throws {
    try send(statement, parameters)
    guard let result = try readAllResults() else { return }
    defer { PQclear(result) }
    for row in 0..<PQntuples(result) { try body(PostgresRow(result, row)) }
  }

  /// Sends a query whose rows `readAnswer` reads later. The server executes it while further
  /// statements are sent.
  package func ask(
    _ statement: String, _ parameters: [PostgresParameter] = []
  ) throws(PostgresError) -> Question {
    questionCount += 1
    let question = Question(number: questionCount)
    try send(statement, parameters, as: .question(question))
    guard PQsendFlushRequest(connection) == 1, PQflush(connection) >= 0 else { throw disconnection }
    return question
  }

  /// Reads the rows of a query that `ask` sent in this transaction. Call this at most once for each
  /// question. The call waits only for this query and earlier statements; the server executes later
  /// ones meanwhile.
  package func readAnswer(to question: Question, _ body: (PostgresRow) throws -> Void) throws {
    let deadline = self.deadline
    guard PQflush(connection) >= 0 else { throw disconnection }
    while answers[question] == nil, failure == nil, !unreadRequests.isEmpty {
      PQclear(readOldestResult(by: deadline))
    }
    guard failure == nil, let result = answers.removeValue(forKey: question) else {
      try wait()
      throw disconnection
    }
    defer { PQclear(result) }
    for row in 0..<PQntuples(result) { try body(PostgresRow(result, row)) }
  }

  /// Waits for the results of all statements.
  package func wait() throws(PostgresError) {
    guard !isSynced else { return }
    PQclear(try readAllResults())
  }

  /// Commits the transaction and waits for the result. Drops unread answers.
  package func commit() throws(PostgresError) {
    isCommitting = true
    defer { isCommitting = false }
    forgetAnswers()
    try send("COMMIT")
    try wait()
  }

  /// Rolls the transaction back and waits for the result. Drops unread answers and failures.
  package func rollBack() throws(PostgresError) {
    _ = try? wait()
    forgetAnswers()
    try send("ROLLBACK")
    try wait()
  }

  /// Runs a script of several statements without parameters, such as the script of a schema.
  package func run(script: String) throws(PostgresError) {
    try outsidePipeline { () throws(PostgresError) in
      try check(PQexec(connection, script))
    }
  }

  /// Inserts rows by COPY, which is the fastest for many rows.
  ///
  /// - Parameter target: the table and its columns, in the order of the values.
  package func copy(_ rows: PostgresRows, to target: String) throws(PostgresError) {
    try outsidePipeline { () throws(PostgresError) in
      let begun = PQexec(connection, "COPY \(target) FROM STDIN (FORMAT binary)")
      guard PQresultStatus(begun) == PGRES_COPY_IN else { return try check(begun) }
      PQclear(begun)
      let isSent = rows.copyBytes.withUnsafeBytes { bytes in
        let characters = bytes.bindMemory(to: CChar.self).baseAddress
        return PQputCopyData(connection, characters, Int32(bytes.count)) == 1
          && PQputCopyEnd(connection, nil) == 1
      }
      guard isSent else { throw disconnection }
      var failure: PostgresError?
      while let result = PQgetResult(connection) { failure = failure ?? failureFreeing(result) }
      if let failure { throw failure }
    }
  }

  // MARK: - The pipeline

  /// Waits for all results, and runs `body` while the connection is not in pipeline mode.
  private func outsidePipeline(_ body: () throws(PostgresError) -> Void) throws(PostgresError) {
    try wait()
    guard PQexitPipelineMode(connection) == 1 else { throw disconnection }
    defer { PQenterPipelineMode(connection) }
    try body()
  }

  /// Throws the failure that a result reports, if any, and frees the result.
  private func check(_ result: OpaquePointer?) throws(PostgresError) {
    guard let result else { throw disconnection }
    if let failure = failureFreeing(result) { throw failure }
  }

  /// Returns the name under which a statement is prepared, and first prepares a new statement. So
  /// the server parses each statement once.
  private func prepare(
    _ statement: String, _ parameters: [PostgresParameter]
  ) throws(PostgresError) -> String {
    if let name = statementNames[statement] { return name }
    nameCount += 1
    let name = "s\(nameCount)"
    let types = parameters.map(\.type)
    guard PQsendPrepare(connection, name, statement, Int32(types.count), types) == 1 else {
      throw disconnection
    }
    statementNames[statement] = name
    unreadRequests.append(.preparation(of: statement))
    return name
  }

  /// When a read of results that begins now times out; nil for never.
  private var deadline: ContinuousClock.Instant? { timeout.map { ContinuousClock.now + $0 } }

  /// Reads the results of all statements, up to a new sync point.
  ///
  /// - Returns: the result of the last statement.
  private func readAllResults() throws(PostgresError) -> OpaquePointer? {
    guard PQpipelineSync(connection) == 1 else { throw disconnection }
    let deadline = self.deadline
    var last: OpaquePointer?
    while !unreadRequests.isEmpty {
      PQclear(last)
      last = readOldestResult(by: deadline)
    }
    let end = nextResult(by: deadline)
    let reachedSyncPoint = end != nil && PQresultStatus(end) == PGRES_PIPELINE_SYNC
    PQclear(end)
    isSynced = true
    let failure = self.failure
    self.failure = nil
    guard reachedSyncPoint, isUsable, failure == nil else {
      PQclear(last)
      throw reachedSyncPoint && isUsable ? failure ?? disconnection : disconnection(after: failure)
    }
    return last
  }

  /// Reads the result of the oldest request.
  ///
  /// - Returns: nil for a question, whose result is stored until `readAnswer`.
  private func readOldestResult(by deadline: ContinuousClock.Instant?) -> OpaquePointer? {
    let request = unreadRequests.removeFirst()
    var last: OpaquePointer?
    while let result = nextResult(by: deadline) {
      PQclear(last)
      last = result
      failure = failure ?? Self.failure(of: result)
    }
    switch request {
    case .statement: return last
    case .preparation(let statement):
      // The server may have skipped the preparation; the next use prepares it under a new name.
      if failure != nil { statementNames[statement] = nil }
      return last
    case .question(let question):
      answers[question] = last
      return nil
    }
  }

  private func forgetAnswers() {
    for answer in answers.values { PQclear(answer) }
    answers = [:]
  }

  /// Returns the next result; nil at the end of a statement's results. If the deadline passes, this
  /// function closes the socket, and libpq then reports a lost connection.
  private func nextResult(by deadline: ContinuousClock.Instant?) -> OpaquePointer? {
    if let deadline {
      while !isSilent, PQisBusy(connection) == 1 {
        isSilent = !socket.waitForInput(until: deadline)
        if isSilent { socket.end() }
        guard PQconsumeInput(connection) == 1 else { break }
      }
    }
    return PQgetResult(connection)
  }

  // MARK: - Failures

  /// Returns the failure that a result reports, if any, and frees the result.
  private func failureFreeing(_ result: OpaquePointer) -> PostgresError? {
    defer { PQclear(result) }
    return Self.failure(of: result)
  }

  /// Returns the failure that a result reports, if any.
  private static func failure(of result: OpaquePointer) -> PostgresError? {
    let status = PQresultStatus(result)
    guard status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK else { return nil }
    func field(_ code: Character) -> String {
      trimmed(PQresultErrorField(result, Int32(code.asciiValue ?? 0)))
    }
    let reason = [field("M"), field("D"), field("H")].filter { !$0.isEmpty }
    let text =
      reason.isEmpty ? trimmed(PQresultErrorMessage(result)) : reason.joined(separator: "; ")
    if field("V") == "FATAL" || field("V") == "PANIC" { return .disconnected(reason: text) }
    let state = SQLState(field("C"))
    if state.isOfAnotherSession { return .unfit(reason: "\(text); \(PostgresError.pooler)") }
    return .refused(state, reason: text)
  }

  /// The error of a connection that is lost now, with libpq's message.
  private var disconnection: PostgresError {
    disconnection(after: .disconnected(reason: Self.trimmed(PQerrorMessage(connection))))
  }

  /// Returns the error of a lost connection. If the server was silent, the error says so. Otherwise
  /// its reason is that of `failure`, or libpq's message.
  private func disconnection(after failure: PostgresError?) -> PostgresError {
    let reason =
      switch failure {
      case _ where isSilent: "the server did not answer in time, but kept the connection open"
      case .disconnected(let reason): reason
      case .refused(_, let reason) where !reason.isEmpty: reason
      default: Self.trimmed(PQerrorMessage(connection))
      }
    return isCommitting ? .commitUnknown(reason: reason) : .disconnected(reason: reason)
  }

  /// Returns a text of libpq without the line breaks at its end.
  private static func trimmed(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    var trimmed = String(cString: text)
    while trimmed.last?.isNewline == true { trimmed.removeLast() }
    return trimmed
  }

  private static func trimmed(_ text: UnsafeMutablePointer<CChar>?) -> String {
    trimmed(text.map { UnsafePointer($0) })
  }

  /// Calls `body` with a pointer to the value of each parameter and with the values' lengths. The
  /// pointers are valid during the call; a null pointer means NULL.
  private static func withPointers<Value>(
    to parameters: [PostgresParameter],
    _ body: ([UnsafePointer<CChar>?], [Int32]) -> Value
  ) -> Value {
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    let total = lengths.reduce(1) { $0 + Int($1) }
    // Pointers into Swift arrays are valid for one call only, so all values are copied into one
    // buffer. An empty value needs a pointer too; a null pointer would mean NULL.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: total) { memory in
      var offset = 0
      let values = parameters.map { parameter -> UnsafePointer<CChar>? in
        guard let bytes = parameter.bytes, let base = memory.baseAddress else { return nil }
        defer { offset += bytes.count }
        UnsafeMutableRawBufferPointer(memory)[offset...].copyBytes(from: bytes)
        return UnsafePointer(base + offset)
      }
      return body(values, lengths)
    }
  }
}
