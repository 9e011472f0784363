import Systemd
import Testing

@Suite struct ListenSocketTests {
  @Test func noneAreHandedToAProcessStartedByHand() throws {
    #expect(try ListenSocket.inherited() == [])
  }

  @Test func aFailedCallSaysWhatWasAttempted() {
    let error = #expect(throws: SystemCallError.self) {
      try SystemCallError.check("adopt the manager's sockets", -22)
    }
    #expect(error?.description == "cannot adopt the manager's sockets: Invalid argument (errno 22)")
  }
}
