import CPostgres

/// A connection to a server, in pipeline mode: statements are sent without waiting for their
/// results, which are read later in the same order. Not thread-safe.
///
/// After a failed statement the server skips all later statements of the pipeline.
package final class PostgresConnection {
  /// A request whose result is not read yet.
  private enum Sent {
    case statement
    case preparation(of: String)
    case question(Question)
  }

  /// Identifies a query whose rows are read later.
  package struct Question: Hashable {
    fileprivate let number: Int
  }

  private let connection: OpaquePointer
  private let socket: PostgresSocket
  private let cut: PostgresCut?
  /// The timeout of results; nil for none.
  private let timeout: Duration?
  /// Whether a result was not received before the timeout.
  package private(set) var isSilent = false
  /// The names of prepared statements by their text, including those whose preparation was sent and
  /// is not confirmed.
  private var names: [String: String] = [:]
  private var nameCount = 0
  private var sent: [Sent] = []
  /// Whether nothing was sent since the last sync point, where the server resumes after a failure.
  private var isSynced = true
  /// The first failure since that sync point; the server skips all later statements.
  private var failure: PostgresError?
  private var questionCount = 0
  /// The results of questions that were read before `takeAnswer` was called for them.
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

  private static func connection(
    to location: String, _ settings: KeyValuePairs<String, String>
  ) throws(PostgresError) -> OpaquePointer {
    let options = (Array(fixed) + Array(settings)).map { "-c \($0)=\($1)" }
      .joined(separator: " ")
    guard let connection = chime_postgres_connect(location, options) else {
      throw .unreachable(reason: "no memory for a connection")
    }
    guard PQstatus(connection) == CONNECTION_OK else {
      defer { PQfinish(connection) }
      throw .unreachable(reason: words(PQerrorMessage(connection)))
    }
    return connection
  }

  /// The settings that statements rely on. They override the settings of the role, the database and
  /// the server. Idle sessions have no timeout.
  package static let fixed: KeyValuePairs = [
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
  package var backend: Int32 { PQbackendPID(connection) }

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
    _ statement: String, _ parameters: [PostgresParameter], as entry: Sent
  ) throws(PostgresError) {
    isSynced = false
    let name = try prepare(statement, parameters)
    let isSent = Self.withPointers(to: parameters) { values, lengths in
      let formats = [Int32](repeating: 1, count: parameters.count)
      return PQsendQueryPrepared(
        connection, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw disconnection }
    sent.append(entry)
  }

  /// Sends a statement, and waits for the results of all statements up to this one.
  package func query(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Void
  ) throws {
    try send(statement, parameters)
    guard let result = try finish() else { return }
    defer { PQclear(result) }
    for row in 0..<PQntuples(result) { try body(PostgresRow(result, row)) }
  }

  /// Sends a query whose rows `takeAnswer` reads later. The server executes it while further
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

  /// Reads the rows of a question of this transaction; at most once per question. Waits for the
  /// question and for earlier statements only, while the server executes later ones.
  package func takeAnswer(to question: Question, _ body: (PostgresRow) throws -> Void) throws {
    let deadline = self.deadline
    guard PQflush(connection) >= 0 else { throw disconnection }
    while answers[question] == nil, failure == nil, !sent.isEmpty {
      PQclear(readAnswer(by: deadline))
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
    PQclear(try finish())
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
      let isSent = rows.copied.withUnsafeBytes { bytes in
        let characters = bytes.bindMemory(to: CChar.self).baseAddress
        return PQputCopyData(connection, characters, Int32(bytes.count)) == 1
          && PQputCopyEnd(connection, nil) == 1
      }
      guard isSent else { throw disconnection }
      var failure: PostgresError?
      while let result = PQgetResult(connection) { failure = failure ?? take(result) }
      if let failure { throw failure }
    }
  }

  // MARK: - The pipeline

  private func outsidePipeline(_ body: () throws(PostgresError) -> Void) throws(PostgresError) {
    try wait()
    guard PQexitPipelineMode(connection) == 1 else { throw disconnection }
    defer { PQenterPipelineMode(connection) }
    try body()
  }

  private func check(_ result: OpaquePointer?) throws(PostgresError) {
    guard let result else { throw disconnection }
    if let failure = take(result) { throw failure }
  }

  /// Returns the name of the prepared statement, so that the server parses it once. Sends the
  /// preparation if the statement is new.
  private func prepare(
    _ statement: String, _ parameters: [PostgresParameter]
  ) throws(PostgresError) -> String {
    if let name = names[statement] { return name }
    nameCount += 1
    let name = "s\(nameCount)"
    let types = parameters.map(\.type)
    guard PQsendPrepare(connection, name, statement, Int32(types.count), types) == 1 else {
      throw disconnection
    }
    names[statement] = name
    sent.append(.preparation(of: statement))
    return name
  }

  private var deadline: ContinuousClock.Instant? { timeout.map { ContinuousClock.now + $0 } }

  /// Reads the results of all statements, up to a new sync point.
  ///
  /// - Returns: the result of the last statement.
  private func finish() throws(PostgresError) -> OpaquePointer? {
    guard PQpipelineSync(connection) == 1 else { throw disconnection }
    let deadline = self.deadline
    var last: OpaquePointer?
    while !sent.isEmpty {
      PQclear(last)
      last = readAnswer(by: deadline)
    }
    let end = answer(by: deadline)
    let isWhole = end != nil && PQresultStatus(end) == PGRES_PIPELINE_SYNC
    PQclear(end)
    isSynced = true
    let failure = self.failure
    self.failure = nil
    guard isWhole, isUsable, failure == nil else {
      PQclear(last)
      throw isWhole && isUsable ? failure ?? disconnection : ending(failure)
    }
    return last
  }

  /// Reads the result of the oldest request.
  ///
  /// - Returns: nil for a question, whose result is stored until `takeAnswer`.
  private func readAnswer(by deadline: ContinuousClock.Instant?) -> OpaquePointer? {
    let entry = sent.removeFirst()
    var last: OpaquePointer?
    while let result = answer(by: deadline) {
      PQclear(last)
      last = result
      failure = failure ?? Self.failure(of: result)
    }
    switch entry {
    case .statement: return last
    case .preparation(let statement):
      // The server may have skipped the preparation; the next use prepares it under a new name.
      if failure != nil { names[statement] = nil }
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

  /// Returns the next result; nil at the end of a statement's results. At the deadline it closes
  /// the socket, and libpq then reports the lost connection.
  private func answer(by deadline: ContinuousClock.Instant?) -> OpaquePointer? {
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

  private func take(_ result: OpaquePointer) -> PostgresError? {
    defer { PQclear(result) }
    return Self.failure(of: result)
  }

  private static func failure(of result: OpaquePointer) -> PostgresError? {
    let status = PQresultStatus(result)
    guard status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK else { return nil }
    func field(_ code: Character) -> String {
      words(PQresultErrorField(result, Int32(code.asciiValue ?? 0)))
    }
    let reason = [field("M"), field("D"), field("H")].filter { !$0.isEmpty }
    let text = reason.isEmpty ? words(PQresultErrorMessage(result)) : reason.joined(separator: "; ")
    if field("V") == "FATAL" || field("V") == "PANIC" { return .disconnected(reason: text) }
    let state = SQLState(field("C"))
    if state.isOfAnotherSession { return .unfit(reason: "\(text); \(PostgresError.pooler)") }
    return .refused(state, reason: text)
  }

  private var disconnection: PostgresError {
    ending(.disconnected(reason: Self.words(PQerrorMessage(connection))))
  }

  /// The error of a lost connection, with the server's last message as reason if there is one.
  private func ending(_ failure: PostgresError?) -> PostgresError {
    let reason =
      switch failure {
      case _ where isSilent: "the server did not answer in time, but kept the connection open"
      case .disconnected(let reason): reason
      case .refused(_, let reason) where !reason.isEmpty: reason
      default: Self.words(PQerrorMessage(connection))
      }
    return isCommitting ? .commitUnknown(reason: reason) : .disconnected(reason: reason)
  }

  private static func words(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    var words = String(cString: text)
    while words.last?.isNewline == true { words.removeLast() }
    return words
  }

  private static func words(_ text: UnsafeMutablePointer<CChar>?) -> String {
    words(text.map { UnsafePointer($0) })
  }

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
