import Testing

/// A lane against a list of what is to be handed over, through random programs of offers, reads,
/// answers and outages.
@Suite struct LanePropertyTests {
  @Test(arguments: Seeds.all)
  func d1EverythingIsHandedOnceInOrder(seed: UInt64) {
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 0)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      #expect(model.handed == model.recorded, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: Seeds.all)
  func d1OutagesLoseNothingAndKeepTheOrder(seed: UInt64) {
    var outages = 0
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 30)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      #expect(model.answered == model.recorded, "seed \(seed), round \(round)")
      outages += model.handed.count > model.recorded.count ? 1 : 0
    }
    #expect(outages > 50)
  }

  @Test(arguments: Seeds.all)
  func v7WhatTheGatesKeepBackStaysOut(seed: UInt64) {
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 20, holds: 30)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      let settled = Set(model.answered + model.keptBack)
      #expect(settled == Set(model.recorded), "seed \(seed), round \(round)")
      #expect(model.answered.count + model.keptBack.count == model.recorded.count)
    }
  }

  @Test(arguments: Seeds.all)
  func d3RetriesAndARateLoseNothingAndKeepTheOrder(seed: UInt64) {
    var retried = 0
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 20, holds: 10, retries: 30, rate: 40)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      #expect(model.answered.count + model.keptBack.count == model.recorded.count)
      retried += model.retried
    }
    #expect(retried > 100)
  }

  @Test func aSmallLaneReadsFromTheStore() {
    var model = LaneModel(seed: 1, outages: 10)
    model.run(steps: 400)
    #expect(model.reads > 5)
  }
}
