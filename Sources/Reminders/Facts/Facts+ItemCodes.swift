import CivilTime

/// Assigns distinct codes to identifiers. Two identifiers may have the same hash, and an attacker
/// finds such a pair within seconds. So identifiers are compared, and the later of the two gets the
/// next free code.
extension Facts {
  /// The number of items up to which comparing all pairs is faster than sorting or hashing.
  static let unindexedItemsMax = 8

  /// Returns the codes of all items, in the order of the items. Two codes are equal exactly if the
  /// items have the same identifier, or come from the same event without an identifier. An
  /// identifier keeps its code as long as earlier identifiers are remembered.
  func itemCodes() -> [UInt64] {
    let codes = items.map(\.code)
    guard hasCollision(codes) else { return codes }
    return distinct(codes)
  }

  /// Returns whether items of different entities have codes that give the same key.
  private func hasCollision(_ codes: [UInt64]) -> Bool {
    guard codes.count > 1 else { return false }
    guard codes.count > Self.unindexedItemsMax else {
      return codes.indices.contains { index in
        codes[..<index].indices.contains { areColliding(index, $0) }
      }
    }
    Work.count(codes.count)
    // One identifier may have items of several types.
    var indexByCode: [UInt64: Int] = [:]
    indexByCode.reserveCapacity(codes.count)
    for index in codes.indices {
      guard let other = indexByCode.updateValue(index, forKey: codes[index] >> 1) else { continue }
      if areColliding(index, other) { return true }
    }
    return false
  }

  /// Returns whether an item of another entity has the same code.
  func isCodeTaken(_ item: Item) -> Bool {
    Work.count(items.count)
    return items.contains { giveSameKey($0.code, item.code) && !$0.isSameEntity(as: item) }
  }

  private func areColliding(_ one: Int, _ other: Int) -> Bool {
    giveSameKey(items[one].code, items[other].code) && !items[one].isSameEntity(as: items[other])
  }

  /// Returns whether two codes give the same key. Keys omit the lowest bit of the code.
  private func giveSameKey(_ one: UInt64, _ other: UInt64) -> Bool { one >> 1 == other >> 1 }

  /// Assigns codes in the order of first reports: each identifier gets the code that its hash
  /// gives, or else the next free code.
  private func distinct(_ hashCodes: [UInt64]) -> [UInt64] {
    Work.count(hashCodes.count)
    var codes = hashCodes
    var indicesByKey: [UInt64: Int] = [:]
    for index in items.indices.sorted(by: { items[$0].first < items[$1].first }) {
      while let other = indicesByKey[codes[index] >> 1],
        !items[other].isSameEntity(as: items[index])
      {
        codes[index] &+= 2
      }
      if indicesByKey[codes[index] >> 1] == nil { indicesByKey[codes[index] >> 1] = index }
    }
    return codes
  }
}

extension Item {
  /// - Parameter base: the milliseconds from which instants are written as differences.
  func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(type)
    // Nearly all items have `first` equal to `stamp`.
    writer.count(identifier == nil ? 0 : first == stamp ? 1 : 2)
    if let identifier { writer.text(identifier) }
    writer.stamp(stamp, since: base)
    if identifier != nil, first != stamp { writer.stamp(first, since: base) }
    writer.count(details.count)
    for detail in details { detail.write(to: &writer, since: base) }
  }

  init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    let type = try reader.symbol()
    let form = try reader.byte()
    guard form <= 2 else { throw reader.malformed }
    let identifier: String? = form == 0 ? nil : try reader.text()
    let stamp = try reader.stamp(since: base)
    let first: Stamp? = form == 2 ? try reader.stamp(since: base) : nil
    var details: [Detail] = []
    for _ in 0..<(try reader.count()) {
      details.append(try Detail(from: &reader, since: base))
    }
    self.init(
      type: type, identifier: identifier, stamp: stamp, first: first, details: details)
  }
}

extension Detail {
  fileprivate func write(to writer: inout ByteWriter, since base: Int64) {
    writer.symbol(field)
    switch value {
    case .text(let text):
      writer.count(0)
      writer.text(text)
    case .instant(let instant):
      writer.count(1)
      writer.signed(instant.milliseconds &- base)
    case .number(let number):
      writer.count(2)
      writer.signed(number)
    case .decimal(let number):
      writer.count(8)
      writer.signed(Int64(bitPattern: number.bitPattern))
    case .flag(let flag):
      writer.count(flag ? 4 : 3)
    case .person(let person):
      writer.count(5)
      writer.text(person.id)
      writer.text(person.username)
      writer.optional(person.firstName)
      writer.optional(person.avatarURL)
    case .place(let place):
      writer.count(6)
      writer.text(place.id)
      writer.text(place.name)
    case .tally(let tally):
      writer.count(7)
      tally.write(to: &writer)
    case .plan(let plan):
      writer.count(plan.hasChanges ? 11 : 9)
      plan.write(to: &writer)
    case .date(let date):
      writer.count(10)
      writer.signed(Int64(date.daysSinceEpoch))
    }
  }

  fileprivate init(from reader: inout ByteReader, since base: Int64) throws(CodingFailure) {
    let field = try reader.symbol()
    let kind = try reader.byte()
    switch kind {
    case 0: self.init(field: field, value: .text(try reader.text()))
    case 1:
      let instant = Instant(milliseconds: try reader.signed() &+ base)
      self.init(field: field, value: .instant(instant))
    case 2: self.init(field: field, value: .number(try reader.signed()))
    case 3, 4: self.init(field: field, value: .flag(kind == 4))
    case 5:
      let person = Person(
        id: try reader.text(), username: try reader.text(), firstName: try reader.optional(),
        avatarURL: try reader.optional())
      self.init(field: field, value: .person(person))
    case 6:
      let place = Place(id: try reader.text(), name: try reader.text())
      self.init(field: field, value: .place(place))
    case 8:
      let bits = UInt64(bitPattern: try reader.signed())
      self.init(field: field, value: .decimal(Double(bitPattern: bits)))
    case 7: self.init(field: field, value: .tally(try Tally(from: &reader)))
    case 9, 11:
      let plan = try EntityPlan(from: &reader, hasChanges: kind == 11)
      self.init(field: field, value: .plan(plan))
    case 10:
      let days = Int(try reader.signed())
      self.init(field: field, value: .date(LocalDate(daysSinceEpoch: days)))
    default: throw CodingFailure.version(kind)
    }
  }
}
