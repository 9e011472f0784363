import Foundation
import Postgres
import TestSupport

/// A separate PostgreSQL for tests, in a temporary directory and only on a Unix socket. The server
/// ends with this process, even if the process crashes.
///
/// Nothing is synced to the disk, because no test here cuts the power. Benchmarks use
/// ``durable()``.
package final class PostgresServer: Sendable {
  /// Whether PostgreSQL is installed; `make test` fetches it.
  package static let isAvailable = programs != nil
  package static let comment = "PostgreSQL 15 is missing; run `make test`, which fetches it"

  /// Whether PostgreSQL's client programs are installed as well.
  package static let hasClientPrograms = ["pg_dump", "pg_restore", "psql"].allSatisfy { name in
    programs.map { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") } ?? false
  }
  package static let clientComment = "PostgreSQL's client programs are not installed"

  /// The shared server, which starts at its first use.
  package static let shared = Result { try PostgresServer() }

  /// A server that syncs its commits, as by default.
  package static func durable() throws -> PostgresServer { try PostgresServer(options: "") }

  private static let programs = [
    "/usr/lib/postgresql/15/bin", root + "/.build/tools/postgresql/usr/lib/postgresql/15/bin",
  ].first { FileManager.default.isExecutableFile(atPath: $0 + "/pg_ctl") }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// A server that no other test uses, so that it may be stopped.
  package static func unshared() throws -> PostgresServer { try PostgresServer() }

  /// A server with a standby, which is asynchronous until ``makeSynchronous()``.
  package static func withStandby() throws -> PostgresServer {
    try PostgresServer(hasStandby: true)
  }

  private let directory: String
  private let hasStandby: Bool
  /// The server stops at the end of this input.
  private let input: FileHandle
  private let output: FileHandle

  private static let withoutSync = "-c fsync=off -c full_page_writes=off"

  private init(options: String = withoutSync, hasStandby: Bool = false) throws {
    self.hasStandby = hasStandby
    let parent = FileManager.default.temporaryDirectory
    directory = parent.appending(path: "chimed-postgres-\(UUID().uuidString.prefix(8))").path
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", Self.script, "sh", Self.programs ?? "", directory, options]
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    _ = fcntl(self.input.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
    // The script prints "ready", or the server's messages if the start fails.
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard answer == "ready\n" else { throw Failure(log: answer) }
    if hasStandby { try send("follow") }
  }

  /// Stops the server like a crash, and starts it again.
  package func restart() throws { try send("restart") }

  /// Makes every acknowledgement wait until the standby has the data on its disk.
  package func makeSynchronous() throws {
    let connection = try PostgresConnection(location(of: "postgres"))
    try connection.run(script: "ALTER SYSTEM SET synchronous_standby_names = '*'")
    try connection.run(script: "SELECT pg_reload_conf()")
    var isSynchronous = false
    while !isSynchronous {
      try connection.query(
        "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = $1)", [.text("sync")]
      ) { isSynchronous = $0.integer(0) != 0 }
    }
  }

  /// Makes acknowledgements independent of the standby.
  package func makeAsynchronous() throws {
    let connection = try PostgresConnection(location(of: "postgres"))
    try connection.run(script: "ALTER SYSTEM RESET synchronous_standby_names")
    try connection.run(script: "SELECT pg_reload_conf()")
    var isSynchronous = true
    while isSynchronous {
      try connection.query("SELECT current_setting($1) <> ''", [.text("synchronous_standby_names")])
      { isSynchronous = $0.integer(0) != 0 }
    }
  }

  /// Appends lines to `postgresql.conf` and restarts the server, which archives its log from then
  /// on.
  package func archive(_ settings: [String]) throws {
    try send("archive \(settings.joined(separator: ";"))")
  }

  /// The directory for the archived log. The lines that `archive` appends have to name it.
  package var archiveDirectory: String { directory + "/archive" }

  /// Makes a base backup.
  package func save() throws { try send("save") }

  /// Stops the server like a crash and removes its data. Then restores the base backup, appends
  /// lines to `postgresql.conf`, and recovers from the archive. Returns when the server accepts
  /// changes.
  package func recover(_ settings: [String]) throws {
    try send("recover \(settings.joined(separator: ";"))")
    let connection = try PostgresConnection(location(of: "postgres"))
    var isRecovering = true
    while isRecovering {
      try connection.query("SELECT pg_is_in_recovery()") { isRecovering = $0.integer(0) != 0 }
    }
  }

  /// Stops the primary like a crash, removes its data, and promotes the standby.
  package func promote() throws { try send("promote") }

  private func send(_ word: String) throws {
    input.write(Data("\(word)\n".utf8))
    let answer = String(decoding: output.availableData, as: UTF8.self)
    guard answer == "ready\n" else { throw Failure(log: answer) }
  }

  package struct Failure: Error, CustomStringConvertible {
    let log: String

    package var description: String { "PostgreSQL does not start: \(log)" }
  }

  /// PostgreSQL refuses to run as root, so root runs it as the user `nobody`. If this user has no
  /// access to the programs, the script copies them.
  private static let script = """
    trap '' INT TERM HUP
    programs=$1 directory=$2 options=$3
    mkdir -m 700 "$directory"
    as=
    if [ "$(id -u)" = 0 ]; then
      chown nobody "$directory"
      as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
    fi
    cd "$directory"
    if ! $as test -x "$programs/initdb"; then
      cp -r "${programs%/lib/postgresql/15/bin}" programs
      programs=$directory/programs/lib/postgresql/15/bin
    fi
    control() {
      data=$1
      shift
      $as "$programs/pg_ctl" --pgdata="$data" --wait --log=log --mode=immediate "$@"
    }
    start() {
      control "$1" start --options="-k '$directory' -p $2 -c listen_addresses= \\
        -c log_line_prefix=%d: -c max_connections=200 $options"
    }
    begin() {
      $as "$programs/initdb" --no-sync --auth=trust --username=chimed --encoding=UTF8 \\
        --locale=C.UTF-8 --pgdata=data && start data 5432
    }
    follow() {
      $as "$programs/pg_basebackup" --host="$directory" --username=chimed --no-sync \\
        --checkpoint=fast --write-recovery-conf --pgdata=standby && start standby 5433
    }
    promote() { control data stop && rm -r data && control standby promote; }
    restart() { control data restart; }
    configure() { echo "$1" | tr ';' '\\n' >>data/postgresql.conf; }
    archive() { $as mkdir archive && configure "$1" && restart; }
    save() {
      $as "$programs/pg_basebackup" --host="$directory" --username=chimed --no-sync \\
        --checkpoint=fast --pgdata=base
    }
    recover() {
      control data stop && rm -r data && mv base data && configure "$1" &&
        $as touch data/recovery.signal && start data 5432
    }
    answer() { "$1" "$2" >output 2>&1 </dev/null && echo ready || cat output log; }
    answer begin
    while read -r word rest; do answer "$word" "$rest"; done
    for instance in data standby; do
      if [ -d "$instance" ]; then control "$instance" stop >output 2>&1; fi
    done
    rm -r "$directory"
    """

  /// Runs a shell script with PostgreSQL's client programs, which connect as the role chimed.
  ///
  /// - Returns: the exit status of the script, and its messages.
  package func run(
    script: String, in directory: String
  ) throws -> (status: Int32, messages: String) {
    let (process, messages) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-e", "-c", script]
    process.currentDirectoryURL = URL(filePath: directory)
    process.environment = [
      "PATH": "\(Self.programs ?? ""):/usr/bin:/bin", "PGHOST": self.directory, "PGUSER": "chimed",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = messages
    try process.run()
    let output = messages.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// The log so far.
  package var log: String {
    get throws { try String(contentsOfFile: directory + "/log", encoding: .utf8) }
  }

  /// The location for libpq. With a standby, libpq uses the server that accepts changes.
  package func location(of database: String) -> String {
    let hosts =
      hasStandby
      ? "host=\(directory),\(directory) port=5432,5433 target_session_attrs=read-write"
      : "host=\(directory)"
    return "\(hosts) user=chimed dbname=\(database)"
  }
}
