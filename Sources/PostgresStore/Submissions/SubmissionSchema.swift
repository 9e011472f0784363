import Store

/// The interface through which an app reports an event in its own transaction. It consists of a
/// function to call, and the table where the event waits until the owner of the recipient's shard
/// ingests it.
///
/// The caller needs no rights on the tables: the function runs with the rights of its owner.
enum SubmissionSchema {
  /// The part of the schema's script with the tables and functions of submissions.
  static let script = """
    -- Submitted events of apps, unchanged, and copies of events for recipients of other owners,
    -- until they are ingested. Rows are short-lived, so the table is vacuumed often.
    CREATE TABLE submission (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      shard smallint NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      event text NOT NULL,
      -- Whether the row is a copy that a node has inserted, because the event names a recipient of
      -- this shard.
      is_copy boolean NOT NULL DEFAULT false
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
    -- Rejected submissions.
    CREATE TABLE refused (
      id bigint PRIMARY KEY,
      at timestamptz NOT NULL,
      recipient text NOT NULL,
      event text NOT NULL,
      reason text NOT NULL
    );
    CREATE INDEX ON refused (recipient, id);

    \(shardOf)
    \(functions)
    REVOKE ALL ON FUNCTION fence(bigint), shard_of(text) FROM PUBLIC;
    """

  /// The function that computes a shard: HMAC-SHA-256 (RFC 2104) of the same input as in
  /// `KeyedHash.shard`, so that both return the same shard.
  private static let shardOf = """
    CREATE FUNCTION shard_of(name text) RETURNS smallint LANGUAGE plpgsql STABLE AS $$
    DECLARE
      words bytea := convert_to(name, 'UTF8');
      inner_pad bytea;
      outer_pad bytea;
      count integer;
      code bytea;
    BEGIN
      SELECT decode(value, 'hex') INTO STRICT inner_pad FROM chimed.meta
        WHERE key = '\(innerNote)';
      SELECT decode(value, 'hex') INTO STRICT outer_pad FROM chimed.meta
        WHERE key = '\(outerNote)';
      SELECT value::integer INTO STRICT count FROM chimed.meta WHERE key = 'shards';
      code := sha256(outer_pad || sha256(inner_pad
        || '\\x0500000000000000'::bytea || 'shard'::bytea
        || set_byte(set_byte('\\x0000000000000000'::bytea, 0, length(words) & 255),
          1, length(words) >> 8) || words));
      RETURN (get_byte(code, 0) + (get_byte(code, 1) << 8)) & (count - 1);
    END $$;
    """

  /// The functions that apps call. `submit` fails the app's transaction only for events that cannot
  /// be processed at all. Other faults are found when the event is ingested, with the catalog that
  /// is then current.
  static let functions = """
    CREATE OR REPLACE FUNCTION submit(event text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      document json;
      kind text;
      fault text;
      recipient text;
      number bigint;
    BEGIN
      IF octet_length(event) > \(Submission.textMax) THEN
        RAISE EXCEPTION 'the event has % bytes, and chimed.submit takes \(Submission.textMax) '
          'at most', octet_length(event) USING ERRCODE = 'program_limit_exceeded';
      END IF;
      document := event::json;
      kind := json_typeof(document);
      IF kind <> 'object' THEN
        RAISE EXCEPTION 'chimed.submit takes one event, an object; this is %',
          CASE kind WHEN 'null' THEN kind WHEN 'array' THEN 'an array' ELSE 'a ' || kind END
          USING ERRCODE = 'invalid_parameter_value';
      END IF;
      -- One walk over the document, whichever members it has.
      SELECT (array_agg(m.name ORDER BY m.position) FILTER (
          WHERE coalesce(json_typeof(m.value), '') <> 'string'
            OR length(m.value #>> '{}') NOT BETWEEN 1 AND 256))[1],
        max(m.value #>> '{}') FILTER (WHERE m.name = 'subject')
      INTO fault, recipient
      FROM json_to_record(document)
        AS d(specversion json, id json, source json, type json, subject json),
        LATERAL (VALUES (1, 'specversion', d.specversion), (2, 'id', d.id), (3, 'source', d.source),
          (4, 'type', d.type), (5, 'subject', d.subject)) AS m(position, name, value);
      IF fault IS NOT NULL THEN
        RAISE EXCEPTION 'the event''s "%" must be a text of 1 to 256 characters', fault
          USING ERRCODE = 'invalid_parameter_value',
            HINT = 'chimed.submit takes a CloudEvents 1.0 event; see chimed-api(7).';
      END IF;
      INSERT INTO chimed.submission (shard, event)
        VALUES (chimed.shard_of(recipient), event) RETURNING id INTO number;
      RETURN number;
    END $$;
    CREATE OR REPLACE FUNCTION submit(event jsonb) RETURNS bigint LANGUAGE sql
      AS 'SELECT chimed.submit(event::text)';
    CREATE OR REPLACE FUNCTION submit(event json) RETURNS bigint LANGUAGE sql
      AS 'SELECT chimed.submit(event::text)';
    """

  /// The key of the store's note with the version of its functions.
  static let versionNote = "functions"
  /// The version of the functions, incremented when they change. A store without the note has
  /// version 1.
  static let version = 2

  /// The keys of the notes with HMAC's two pads: the hash's key, combined with a constant of RFC
  /// 2104.
  private static let innerNote = "hash inner pad"
  private static let outerNote = "hash outer pad"
  /// The block size of SHA-256.
  private static let blockByteCount = 64

  /// Returns the notes that the SQL functions need, for the key of the store's hashes.
  static func notes(key: [UInt8]) -> [(String, String)] {
    let block = key + Array(repeating: 0, count: blockByteCount - key.count)
    return [
      (innerNote, HexText.text(block.map { $0 ^ 0x36 })),
      (outerNote, HexText.text(block.map { $0 ^ 0x5c })),
    ]
  }
}
