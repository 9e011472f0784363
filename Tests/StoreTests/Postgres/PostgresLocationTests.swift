import Postgres
import Testing

/// What of a location is shown: whoever reads the journal must not learn a password from it.
@Suite struct PostgresLocationTests {
  @Test(arguments: [
    (
      "host=db1,db2 dbname=chimed user=app password='a b' sslpassword=x",
      "host=db1,db2 dbname=chimed user=app"
    ),
    ("dbname=chimed password = secret", "dbname=chimed"),
    (
      "postgresql://app:secret@db1:5433/chimed?sslmode=require",
      "host=db1 port=5433 dbname=chimed user=app"
    ),
    ("password=secret", "that is configured"), ("host='", "that is configured"),
    ("postgresql://app:secret", "host=app"),
  ])
  func aPasswordIsNotShown(location: String, shown: String) {
    let words = PostgresLocation(location).shown.split(separator: " ").sorted()
    #expect(words == shown.split(separator: " ").sorted())
  }
}
