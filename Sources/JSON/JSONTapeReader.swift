import Glibc

/// Builds a value from the tape of a validated document, in the layout of `CJSONTape`.
///
/// The reader does not check the tape, because simdjson has validated the whole document.
struct JSONTapeReader {
  private let tape: JSONTape
  /// The index of the next word to read. Word 0 is the mark of the document's root.
  private var index = 1

  init(words: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>) {
    tape = JSONTape(words: words, strings: strings)
  }

  mutating func document() throws(DuplicateKeyError) -> JSONValue {
    try value()
  }

  private mutating func value() throws(DuplicateKeyError) -> JSONValue {
    switch tape.kind(at: index) {
    case UInt8(ascii: "\""): return .string(string())
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "l"): return .integer(Int64(bitPattern: number()))
    case UInt8(ascii: "u"): return .number(Double(number()))
    case UInt8(ascii: "d"): return .number(Double(bitPattern: number()))
    case UInt8(ascii: "t"): return literal(.bool(true))
    case UInt8(ascii: "f"): return literal(.bool(false))
    default: return literal(.null)
    }
  }

  private mutating func literal(_ value: JSONValue) -> JSONValue {
    index += 1
    return value
  }

  private mutating func number() -> UInt64 {
    index += 2
    return tape.words[index - 1]
  }

  private mutating func string() -> String {
    index += 1
    return String(decoding: tape.string(at: index - 1), as: UTF8.self)
  }

  private mutating func array() throws(DuplicateKeyError) -> [JSONValue] {
    let end = tape.closing(of: index)
    var values: [JSONValue] = []
    values.reserveCapacity(tape.announcedCount(at: index))
    index += 1
    while index < end {
      do {
        values.append(try value())
      } catch {
        throw error.inside(.index(values.count))
      }
    }
    index = end + 1
    return values
  }

  private mutating func object() throws(DuplicateKeyError) -> JSONObject {
    let end = tape.closing(of: index)
    if let repeated = tape.repeatedKey(ofObjectAt: index) {
      throw DuplicateKeyError(key: String(decoding: tape.string(at: repeated), as: UTF8.self))
    }
    var members: [JSONObject.Member] = []
    members.reserveCapacity(tape.announcedCount(at: index))
    index += 1
    while index < end {
      let key = string()
      do {
        members.append(JSONObject.Member(key: key, value: try value()))
      } catch {
        throw error.inside(.key(key))
      }
    }
    index = end + 1
    return JSONObject(distinct: members)
  }
}
