/// Hashes of what apps call their things: whoever wants two of them to be alike needs seconds for
/// that. So what is known by them is compared, and the later thing takes the next number.
extension Facts {
  /// Up to how many things it is quicker to look at each than to sort or to hash them.
  static let fewThings = 8

  /// The codes of all items, in their order: equal where they are of the same thing, and different
  /// where they are not. A thing keeps its code as long as those told of before it are known.
  func itemCodes() -> [UInt64] {
    let codes = items.map(\.code)
    guard hasTwins(codes) else { return codes }
    return distinct(codes)
  }

  private func hasTwins(_ codes: [UInt64]) -> Bool {
    guard codes.count > 1 else { return false }
    guard codes.count > Self.fewThings else {
      return codes.indices.contains { index in
        codes[..<index].indices.contains { areTwins(index, $0) }
      }
    }
    Work.count(codes.count)
    // Of one thing there may be items of several types.
    var places: [UInt64: Int] = [:]
    places.reserveCapacity(codes.count)
    for index in codes.indices {
      guard let other = places.updateValue(index, forKey: codes[index] >> 1) else { continue }
      if areTwins(index, other) { return true }
    }
    return false
  }

  /// Whether another thing has the same code.
  func hasTwin(_ item: Item) -> Bool {
    Work.count(items.count)
    return items.contains { areAlike($0.code, item.code) && !$0.isSameThing(as: item) }
  }

  private func areTwins(_ one: Int, _ other: Int) -> Bool {
    areAlike(items[one].code, items[other].code) && !items[one].isSameThing(as: items[other])
  }

  /// What keys are made of has one bit less.
  private func areAlike(_ one: UInt64, _ other: UInt64) -> Bool { one >> 1 == other >> 1 }

  /// In the order in which they were told of first, each thing takes its own code or the next that
  /// is free.
  private func distinct(_ natural: [UInt64]) -> [UInt64] {
    Work.count(natural.count)
    var codes = natural
    var owners: [UInt64: Int] = [:]
    for index in items.indices.sorted(by: { items[$0].first < items[$1].first }) {
      while let owner = owners[codes[index] >> 1], !items[owner].isSameThing(as: items[index]) {
        codes[index] &+= 2
      }
      if owners[codes[index] >> 1] == nil { owners[codes[index] >> 1] = index }
    }
    return codes
  }
}
