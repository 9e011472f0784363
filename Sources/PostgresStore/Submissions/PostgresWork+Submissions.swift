import CivilTime
import Postgres
import Reminders
import Store

/// What apps have reported in transactions of their own, by `chimed.submit`, and what nodes have
/// left for one another.
extension PostgresWork {
  func submissions(limit: Int) throws -> [Submission] {
    try rows(
      """
      SELECT id, (extract(epoch FROM at) * 1000)::bigint, event, is_copy FROM submission
      WHERE $2::int8 = 1 OR shard = ANY($3) ORDER BY id LIMIT $1
      """,
      [
        .integer(limit), .integer(node.isFleet ? 0 : 1), .integers(Array(shards.active)),
      ]
    ) { row in
      Submission(
        number: row.integer(0), at: Instant(milliseconds: row.integer(1)), text: row.text(2),
        isCopy: row.integer(3) != 0)
    }
  }

  /// A copy that came without a time is of the time that is kept with it.
  func leave(_ copies: [Event]) throws {
    var rows = PostgresRows(.int2, .int8, .text)
    for copy in copies {
      rows.add(node.hash.shard(of: copy.recipient))
      rows.add(copy.time)
      rows.add(copy.copyText)
    }
    try write(
      rows, "shard, at, event",
      """
      INSERT INTO submission (shard, at, event, is_copy)
      SELECT u.shard, to_timestamp(u.at::float8 / 1000), u.event, true FROM
      """, "")
  }

  func settle(_ submissions: [SettledSubmission], now: Instant, keeping span: TimeSpan) throws {
    let refused = submissions.filter { $0.refusal != nil }
    if !refused.isEmpty {
      let erased = try ofErased(refused.map(\.number))
      try keep(refused.filter { !erased.contains($0.number) }, now: now, span)
    }
    try write(
      "DELETE FROM submission WHERE id = ANY($1)", [.integers(submissions.map(\.number))])
  }

  /// Those of people who were erased after they were submitted: nothing of them is kept (rule H4).
  private func ofErased(_ numbers: [Int64]) throws -> Set<Int64> {
    let sent = try rows(
      """
      SELECT id, (extract(epoch FROM at) * 1000)::bigint, coalesce(event::json ->> 'subject', '')
      FROM submission WHERE id = ANY($1)
      """, [.integers(numbers)]
    ) { row in
      (number: row.integer(0), at: Instant(milliseconds: row.integer(1)), name: row.text(2))
    }
    let erasures = try erasures(of: Array(Set(sent.map(\.name))))
    let gone = sent.filter { one in erasures[one.name].map { one.at < $0 } ?? false }
    return Set(gone.map(\.number))
  }

  private func keep(_ refused: [SettledSubmission], now: Instant, _ span: TimeSpan) throws {
    try write(
      """
      INSERT INTO refused SELECT s.id, s.at, s.event::json ->> 'subject', s.event, u.reason
      FROM unnest($1::int8[], $2::text[]) AS u(id, reason) JOIN submission s ON s.id = u.id
      """,
      [.integers(refused.map(\.number)), .texts(refused.map { $0.refusal ?? "" })])
    try write(
      "DELETE FROM refused WHERE at < to_timestamp($1::float8 / 1000)",
      [.integer((now - span).milliseconds)])
  }

  func refusedSubmissions(of recipient: String) throws -> [RefusedSubmission] {
    try rows(
      """
      SELECT id, (extract(epoch FROM at) * 1000)::bigint, event, reason FROM refused
      WHERE recipient = $1 ORDER BY id
      """, [.text(recipient)]
    ) { row in
      RefusedSubmission(
        number: row.integer(0), at: Instant(milliseconds: row.integer(1)), text: row.text(2),
        reason: row.text(3))
    }
  }
}
