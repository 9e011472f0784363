import Systemd
import Testing

@Suite struct ListenSocketTests {
  @Test func `a process without systemd inherits no sockets`() throws {
    #expect(try ListenSocket.inherited() == [])
  }

  @Test func `the error of a failed call names the attempted action`() {
    let error = #expect(throws: SystemCallError.self) {
      try SystemCallError.check("receive the manager's sockets", -22)
    }
    #expect(
      error?.description == "cannot receive the manager's sockets: Invalid argument (errno 22)")
  }
}
