/// A property, or the beginning or end of a component: `NAME;PARAMETER=value:value`.
struct ContentLine {
  /// In capitals.
  let name: String
  /// Names in capitals; of several values the first, without quotation marks.
  let parameters: [(name: String, value: String)]
  let value: ArraySlice<UInt8>
  /// The line of the file on which it begins, from 1.
  let number: Int

  init(_ line: UnfoldedLine) throws(Flaw) {
    var scanner = ContentLineScanner(line.bytes)
    name = try scanner.takeName()
    var parameters: [(name: String, value: String)] = []
    while let parameter = try scanner.takeParameter() { parameters.append(parameter) }
    self.parameters = parameters
    value = try scanner.takeValue()
    number = line.number
  }

  /// The value of the first parameter of that name.
  func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The value as it stands, without spaces around it.
  var trimmedValue: ArraySlice<UInt8> {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let trimmed = value.drop(while: isSpace)
    guard let last = trimmed.lastIndex(where: { !isSpace($0) }) else { return [] }
    return trimmed[...last]
  }

  /// ``trimmedValue`` as text.
  var word: String { String(decoding: trimmedValue, as: UTF8.self) }

  /// ``trimmedValue`` in parts, where there are commas. (Text may have others in it, escaped.)
  var parts: [ArraySlice<UInt8>] {
    trimmedValue.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  }

  /// ``parts`` as text.
  var words: [String] { parts.map { String(decoding: $0, as: UTF8.self) } }
}
