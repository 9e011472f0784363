import CivilTime
import Reminders
import Store
import TestSupport
import Testing

/// Rule H31: the adoptions of catalogs and settings, in every kind of store.
@Suite struct AdoptionConformanceTests {
  private let noon = Fixtures.noon

  private func adoption(_ hour: Int, _ catalogs: String, settings: String = "{}") -> Adoption {
    Adoption(at: noon + .hours(hour), catalogs: catalogs, zones: "2026a", settings: settings)
  }

  @Test(arguments: StoreKind.allCases)
  func `H31: adoptions are read in order, and each text is stored once`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    let adoptions = [
      adoption(1, "a"), adoption(2, "b"), adoption(3, "a", settings: #"{"x":1}"#),
    ]
    try stage.store.commit { transaction in
      for adoption in [adoptions[2], adoptions[0], adoptions[1]] {
        try transaction.record(adoption, text: "text of \(adoption.catalogs) \(adoption.at)")
      }
    }
    try stage.read { (reader) throws in
      #expect(try reader.adoptions() == adoptions)
      #expect(try reader.adoptedText(of: "b") == "text of b \(noon + .hours(2))")
      #expect(try reader.adoptedText(of: "a") == "text of a \(noon + .hours(3))")
      #expect(try reader.adoptedText(of: "c") == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `H31: adoptions that were replaced before the retention are removed with their texts`(
    _ kind: StoreKind
  ) throws {
    let stage = try PortStage(kind)
    let adoptions = [adoption(1, "a"), adoption(2, "b"), adoption(3, "c"), adoption(4, "b")]
    func remaining(replacedBy hour: Int) throws -> [Adoption] {
      try stage.store.commit { transaction in
        try transaction.removeAdoptions(replacedBy: noon + .hours(hour))
        return try transaction.adoptions()
      }
    }
    try stage.store.commit { transaction in
      for adoption in adoptions { try transaction.record(adoption, text: adoption.catalogs) }
    }
    #expect(try remaining(replacedBy: 0) == adoptions)
    #expect(try remaining(replacedBy: 1) == adoptions)
    #expect(try remaining(replacedBy: 2) == Array(adoptions.dropFirst()))
    #expect(try remaining(replacedBy: 9) == [adoptions[3]])
    let texts = try stage.read { reader in
      try ["a", "b", "c"].map { try reader.adoptedText(of: $0) }
    }
    #expect(texts == [nil, "b", nil])
  }
}
