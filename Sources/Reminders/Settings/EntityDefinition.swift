import JSON

/// A setting of one entity.
package struct EntityDefinition: Hashable, Sendable {
  /// The effect of the setting.
  package enum Role: Hashable, Sendable {
    /// A switch that mutes the entity.
    case enabled
    /// The channels of the entity, stored as a `ChannelSet`. The list has the channels that the
    /// catalog offers.
    case channels([Channel])
    /// The value of the group's setting with this index.
    case parameter(Int)
  }

  /// The name in the entity's object, such as `time`.
  package let name: String
  package let kind: SettingKind
  package let role: Role
  /// The symbol of the setting's path, which omits the entity's identifier.
  package let symbol: Symbol

  init(_ name: String, _ kind: SettingKind, _ role: Role, in path: String) {
    (self.name, self.kind, self.role) = (name, kind, role)
    symbol = Symbol("\(path).\(name)")
  }

  /// Returns those channels of a stored value that the catalog offers.
  func channelSet(_ value: Int64) -> ChannelSet {
    guard case .channels(let channels) = role else { return [] }
    let offered = channels.reduce(into: ChannelSet()) { $0.insert(ChannelSet($1)) }
    return ChannelSet(rawValue: UInt8(truncatingIfNeeded: value)).intersection(offered)
  }

  /// Returns whether a value silences the entity.
  func silences(_ value: Int64) -> Bool {
    switch role {
    case .enabled: value == 0
    case .channels: channelSet(value).isEmpty
    case .parameter: false
    }
  }

  /// Returns the stored number for a JSON value. Channels are stored by their own numbers, because
  /// the list that a catalog offers may change.
  func number(from value: JSONValue, at path: String) throws(Refusal) -> Int64 {
    let number = try kind.number(from: value, at: path)
    guard case .channels(let channels) = role else { return number }
    let chosen = channels.indices.filter { number & 1 << $0 != 0 }
    return chosen.reduce(0) { $0 | Int64(ChannelSet(channels[$1]).rawValue) }
  }

  /// Returns the JSON value for a stored number.
  func value(of number: Int64) -> JSONValue {
    guard case .channels = role, number != SettingKind.unset else { return kind.value(of: number) }
    return .array(channelSet(number).channels.map { .string($0.name) })
  }
}
