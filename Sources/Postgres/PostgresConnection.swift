import CPostgres

/// A connection to a server, in pipeline mode: statements are sent without waiting for the answer,
/// and their answers are looked at when one is asked for. For one thread.
///
/// What is refused ends the pipeline: nothing that was sent behind it is done.
package final class PostgresConnection {
  /// What was sent, in order.
  private enum Sent {
    case statement
    case preparation(of: String)
    case question(Question)
  }

  /// What was asked and is answered later.
  package struct Question: Hashable {
    fileprivate let number: Int
  }

  private let connection: OpaquePointer
  private let socket: PostgresSocket
  private let cut: PostgresCut?
  /// How long an answer may take; nil for as long as it takes.
  private let patience: Duration?
  /// Whether the server has let that time pass.
  package private(set) var isSilent = false
  /// The names of the statements that the server knows, or is being told of.
  private var names: [String: String] = [:]
  private var nameCount = 0
  private var sent: [Sent] = []
  /// Whether nothing was sent since the server was last told where to go on after a failure.
  private var isSynced = true
  /// Why the server does nothing of what was sent since then.
  private var failure: PostgresError?
  private var questionCount = 0
  /// To what was asked and not taken yet.
  private var answers: [Question: OpaquePointer] = [:]
  /// Whether a COMMIT is among what was sent.
  private var isCommitting = false

  /// - Parameters:
  ///   - location: as libpq takes it: "host=... dbname=...", or a URI.
  ///   - settings: of the session.
  ///   - patience: after how long without an answer to what was sent, of a few statements at a
  ///     time, the connection is ended.
  ///   - cut: ends it too.
  package init(
    _ location: String, settings: KeyValuePairs<String, String> = [:], patience: Duration? = nil,
    endedBy cut: PostgresCut? = nil
  ) throws(PostgresError) {
    (self.patience, self.cut) = (patience, cut)
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
      throw .unreachable(reason: "there is no memory for a connection")
    }
    guard PQstatus(connection) == CONNECTION_OK else {
      defer { PQfinish(connection) }
      throw .unreachable(reason: words(PQerrorMessage(connection)))
    }
    return connection
  }

  /// What statements mean by, whatever a role, a database or the server has set; and no end to a
  /// session that rests.
  private static let fixed: KeyValuePairs = [
    "standard_conforming_strings": "on", "transform_null_equals": "off", "array_nulls": "on",
    "default_transaction_read_only": "off", "default_transaction_deferrable": "off",
    "lock_timeout": "0", "idle_session_timeout": "0",
  ]

  deinit {
    forgetAnswers()
    cut?.remove(socket)
    PQfinish(connection)
  }

  /// The number of the server's process that serves it.
  package var backend: Int32 { PQbackendPID(connection) }

  package var serverVersion: Int32 { PQserverVersion(connection) }

  package var isWhole: Bool { PQstatus(connection) == CONNECTION_OK }

  // MARK: - Statements

  /// Sends a statement, whose answer says no more than whether it was done.
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

  /// Sends a statement, and waits for its answer and for those of all before it.
  package func query(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Void
  ) throws {
    try send(statement, parameters)
    guard let result = try finish() else { return }
    defer { PQclear(result) }
    for row in 0..<PQntuples(result) { try body(PostgresRow(result, row)) }
  }

  /// Sends a statement that the server answers while others are sent.
  package func ask(
    _ statement: String, _ parameters: [PostgresParameter] = []
  ) throws(PostgresError) -> Question {
    questionCount += 1
    let question = Question(number: questionCount)
    try send(statement, parameters, as: .question(question))
    guard PQsendFlushRequest(connection) == 1, PQflush(connection) >= 0 else { throw disconnection }
    return question
  }

  /// Takes the answer to what was asked in this transaction, once. It waits for that and for what
  /// was sent before it, while the server does what was sent since.
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

  /// Waits until all that was sent is done.
  package func wait() throws(PostgresError) {
    guard !isSynced else { return }
    PQclear(try finish())
  }

  /// Ends the transaction, and waits until that is done.
  package func commit() throws(PostgresError) {
    isCommitting = true
    defer { isCommitting = false }
    forgetAnswers()
    try send("COMMIT")
    try wait()
  }

  /// Undoes what the transaction has done. Whatever is still to be answered is of no interest.
  package func rollBack() throws(PostgresError) {
    _ = try? wait()
    forgetAnswers()
    try send("ROLLBACK")
    try wait()
  }

  /// Runs statements one after the other, without values, such as a schema's.
  package func run(script: String) throws(PostgresError) {
    try outsidePipeline { () throws(PostgresError) in
      try check(PQexec(connection, script))
    }
  }

  /// Writes rows by COPY, which takes less time than any statement when there are many.
  ///
  /// - Parameter target: a table and its columns, in the order of the rows'.
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

  /// The name under which the server knows a statement: it is planned once.
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

  private var deadline: ContinuousClock.Instant? { patience.map { ContinuousClock.now + $0 } }

  /// Reads the answers to all that was sent.
  ///
  /// - Returns: that to the last statement.
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
    guard isWhole, self.isWhole, failure == nil else {
      PQclear(last)
      throw isWhole && self.isWhole ? failure ?? disconnection : ending(failure)
    }
    return last
  }

  /// Reads the answer to what was sent first. That to a question is kept until it is taken.
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
      // What is not known to be prepared is prepared anew, under another name.
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

  /// The next part of an answer. Where it is not there in time the connection is ended, which libpq
  /// finds.
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

  /// What an end of the connection means, of which the server may have said something.
  private func ending(_ failure: PostgresError?) -> PostgresError {
    let reason =
      switch failure {
      case _ where isSilent: "the server keeps it open, and has not answered in time"
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
    // One piece of memory for all: pointers into arrays hold no longer than a call. An empty value
    // needs a place too, for without one it would be NULL.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: total) { memory in
      var place = 0
      let values = parameters.map { parameter -> UnsafePointer<CChar>? in
        guard let bytes = parameter.bytes, let base = memory.baseAddress else { return nil }
        defer { place += bytes.count }
        UnsafeMutableRawBufferPointer(memory)[place...].copyBytes(from: bytes)
        return UnsafePointer(base + place)
      }
      return body(values, lengths)
    }
  }
}
