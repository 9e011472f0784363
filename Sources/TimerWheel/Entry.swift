/// A timer by its index, beside the deadline that the table has for it.
struct Entry {
  let deadline: Int64
  let index: UInt32
}
