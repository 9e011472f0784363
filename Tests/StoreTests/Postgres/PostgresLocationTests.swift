import Postgres
import Testing

/// A location is shown without passwords, because it is logged.
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
  func `a password is not shown`(location: String, expected: String) {
    let shownOptions = PostgresLocation(location).shown.split(separator: " ").sorted()
    #expect(shownOptions == expected.split(separator: " ").sorted())
  }
}
