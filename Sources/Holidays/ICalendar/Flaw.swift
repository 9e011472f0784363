/// What is wrong with a part of a file, before it is known where that part stands.
struct Flaw: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
