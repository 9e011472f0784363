import Testing

@testable import PostgresStore

@Suite struct PostgresSchemaTests {
  @Test func `the schema of PostgreSQL is as expected`() throws {
    let objects = ExpectedSQL.objects(in: Schema(shards: 8, partitions: 2).script)
    try ExpectedSQL("postgresql-schema").check(objects)
  }
}
