internal import CCivilTime

/// The rules behind a zone's name. Cheap to copy; equal exactly if name and file content are.
struct ZoneRules: Hashable, @unchecked Sendable {
  // Unchecked because pointers are not Sendable; this one is to something immutable that is
  // never freed.
  let pointer: OpaquePointer

  init(pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Nil if the bytes are not a TZif file that cctz understands.
  init?(name: String, content: [UInt8]) {
    let rules = content.withUnsafeBufferPointer { bytes in
      name.withCString { civil_time_rules($0, bytes.baseAddress, bytes.count) }
    }
    guard let rules else { return nil }
    pointer = rules
  }
}
