import Testing

@Suite struct RandomProgramTests {
  @Test(arguments: Workload.all, [1, 2, 3] as [UInt64])
  func `a random program has the oracle's results`(workload: Workload, seed: UInt64) throws {
    var program = RandomProgram(workload, seed: seed)
    try program.checkAll()
  }
}
