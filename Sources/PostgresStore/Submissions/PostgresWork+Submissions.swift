import CivilTime
import Postgres
import Reminders
import Store

/// Events that apps have submitted with `chimed.submit` in their own transactions, and copies that
/// nodes have left for each other.
extension PostgresWork {
  /// Returns the waiting submissions, the oldest first. A text longer than `Submission.textMax` is
  /// nil, except that of a copy. Such a text is not read: the server gets the size of a text
  /// without reading it.
  func submissions(limit: Int, bytes: Int) throws -> [Submission] {
    try rows(
      """
      SELECT id, (extract(epoch FROM at) * 1000)::bigint, CASE WHEN is_read THEN event END, is_copy
      FROM (
        SELECT f.*, sum(size) OVER (ORDER BY id) - size AS before FROM (
          SELECT *, CASE WHEN is_read THEN octet_length(event) ELSE 0 END AS size FROM (
            SELECT *, is_copy OR octet_length(event) <= $5 AS is_read FROM submission
            WHERE $2::int8 = 1 OR shard = ANY($3) ORDER BY id LIMIT $1
          ) AS first
        ) AS f
      ) AS sized WHERE before < $4 ORDER BY id
      """,
      [
        .integer(limit), .integer(node.isFleet ? 0 : 1), .integers(Array(shards.active)),
        .integer(bytes), .integer(Submission.textMax),
      ]
    ) { row in
      Submission(
        number: row.integer(0), at: Instant(milliseconds: row.integer(1)),
        text: row.optionalText(2), isCopy: row.integer(3) != 0)
    }
  }

  /// Inserts copies of events, each for the owner of its recipient's shard. If the text of a copy
  /// has no time, the time in its row applies.
  func insertCopies(_ copies: [Event]) throws {
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

  func settle(_ submissions: [FinishedSubmission]) throws {
    let refused = submissions.filter { $0.refusal != nil }
    if !refused.isEmpty { try store(refused) }
    try write(
      "DELETE FROM submission WHERE id = ANY($1)", [.integers(submissions.map(\.number))])
  }

  /// The maximum number of bytes of a rejected event that are stored. A longer text would not help
  /// to find the mistake.
  private static let storedBytesMax = 64 << 10

  /// Stores rejected submissions, except those about recipients that were erased after the
  /// submission (rule H4).
  private func store(_ refused: [FinishedSubmission]) throws {
    let submitted = try rows(
      """
      SELECT id, (extract(epoch FROM at) * 1000)::bigint, coalesce(event::json ->> 'subject', '')
      FROM submission WHERE id = ANY($1)
      """, [.integers(refused.map(\.number))]
    ) { row in
      (number: row.integer(0), at: Instant(milliseconds: row.integer(1)), name: row.text(2))
    }
    let erasures = try erasures(of: Array(Set(submitted.map(\.name))))
    let stored = submitted.filter { submission in
      erasures[submission.name].map { submission.at >= $0 } ?? true
    }
    let reasons = Dictionary(
      refused.map { ($0.number, $0.refusal ?? "") }, uniquingKeysWith: { first, _ in first })
    try write(
      """
      INSERT INTO refused
      SELECT s.id, s.at, u.name, \(Self.beginning(of: "s.event", max: "$4")), u.reason
      FROM unnest($1::int8[], $2::text[], $3::text[]) AS u(id, name, reason)
      JOIN submission s ON s.id = u.id
      """,
      [
        .integers(stored.map(\.number)), .texts(stored.map(\.name)),
        .texts(stored.map { reasons[$0.number] ?? "" }), .integer(Self.storedBytesMax),
      ])
  }

  func removeRefusedSubmissions(before end: Instant) throws {
    try write(
      "DELETE FROM refused WHERE at < to_timestamp($1::float8 / 1000)",
      [.integer(end.milliseconds)])
  }

  /// The number of rejected submissions that are read at once.
  private static let pageMax = 500

  /// Returns the rejected submissions about a recipient. The stored text of a long event is only
  /// its beginning (`storedBytesMax`). It is shortened again if an older version of chimed has
  /// stored more than `Submission.textMax`.
  func refusedSubmissions(
    of recipient: String, after number: Int64, bytes: Int
  ) throws -> [RefusedSubmission] {
    try rows(
      """
      SELECT id, (extract(epoch FROM at) * 1000)::bigint, \(Self.beginning(of: "event", max: "$4")),
        reason
      FROM (
        SELECT *, sum(size) OVER (ORDER BY id) - size AS before FROM (
          SELECT *, least(octet_length(event), $4) AS size FROM refused
          WHERE recipient = $1 AND id > $2 ORDER BY id LIMIT $5
        ) AS first
      ) AS sized WHERE before < $3 ORDER BY id
      """,
      [
        .text(recipient), .integer(number), .integer(bytes), .integer(Submission.textMax),
        .integer(Self.pageMax),
      ]
    ) { row in
      RefusedSubmission(
        number: row.integer(0), at: Instant(milliseconds: row.integer(1)), text: row.text(2),
        reason: row.text(3))
    }
  }

  /// Returns an SQL expression for a text that is shortened if it has more bytes than a maximum.
  private static func beginning(of text: String, max: String) -> String {
    "CASE WHEN octet_length(\(text)) <= \(max) THEN \(text) "
      + "ELSE left(\(text), (\(max) / 4)::integer) || '…' END"
  }
}
