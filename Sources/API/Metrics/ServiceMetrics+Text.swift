import CivilTime
import Engine
import Outbox
import Reminders

extension ServiceMetrics {
  /// The numbers as Prometheus reads them.
  var text: String {
    var writer = MetricsWriter()
    writeService(to: &writer)
    writeSchedule(to: &writer)
    writeEvents(to: &writer)
    writeOccurrences(to: &writer)
    usage.write(to: &writer)
    writeLanes(to: &writer)
    if let analytics { write(analytics, to: &writer) }
    writeParts(to: &writer)
    fleet?.write(to: &writer)
    return writer.text
  }

  private func writeService(to writer: inout MetricsWriter) {
    writer.begin("chimed_build_info", .gauge, "The version that runs; always 1.")
    writer.sample([("version", Version.current)], 1)
    writer.single(
      "process_start_time_seconds", .gauge, "When the service started, in Unix time.",
      Double(started.milliseconds) / 1_000)
    writer.begin("chimed_catalog_info", .gauge, "The catalogs that are loaded; always 1.")
    for catalog in catalogs { writer.sample([("catalog", catalog)], 1) }
    writer.begin(
      "chimed_zone_database_info", .gauge, "The tz database that is planned with; always 1.")
    writer.sample([("version", zoneDatabase)], 1)
    writer.single(
      "chimed_zone_database_generation", .gauge,
      "Which snapshot of the tz database since the start is planned with.",
      Double(zoneGeneration))
    writer.single(
      "chimed_storage_failing", .gauge,
      "Whether nothing can be written just now, as on a full disk; events are refused meanwhile.",
      isStorageFailing ? 1 : 0)
    writer.single(
      "chimed_store_bytes", .gauge, "What the store takes on disk, its log included.",
      Double(storeSize))
    if let diskUse {
      writer.single(
        "chimed_store_disk_used_ratio", .gauge,
        "The share of the store's file system that is in use, from 0 to 1.", diskUse)
    }
    writer.single(
      "chimed_pruned_rows_total", .counter,
      "Rows removed since the start, as they are not kept any longer.", Double(counters.pruned))
    writer.histogram(
      "chimed_commit_duration_seconds",
      "How long commits took that had something to write, with their sync.", commits)
  }

  private func writeSchedule(to writer: inout MetricsWriter) {
    writer.single(
      "chimed_recipients", .gauge, "Recipients of whom something is known.", Double(recipients))
    writer.single("chimed_pending", .gauge, "Reminders that are pending.", Double(pending))
    writer.single(
      "chimed_due", .gauge, "Recipients whose instant has come and who wait for their turn.",
      Double(due))
    writer.single(
      "chimed_replanning", .gauge, "Recipients who wait to be planned anew.", Double(stale))
    writer.single(
      "chimed_lost_zone_recipients", .gauge, "Recipients whose zone the tz database has lost.",
      Double(inLostZones))
    writer.single(
      "chimed_streams", .gauge, "Live streams of notifications that are open.", Double(streams))
    writer.histogram(
      "chimed_lateness_seconds",
      "How long after a recipient's due instant the turn began that treated it.",
      counters.lateness)
  }

  private func writeEvents(to writer: inout MetricsWriter) {
    writer.begin("chimed_events_total", .counter, "Events handed in, by what became of them.")
    let outcomes = [
      ("accepted", counters.accepted), ("duplicate", counters.duplicates),
      ("refused", counters.refused), ("unanswered", counters.unanswered),
    ]
    for (outcome, count) in outcomes { writer.sample([("outcome", outcome)], count) }
  }

  private func writeOccurrences(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_occurrences_total", .counter,
      """
      Occurrences of reminders, each way out by itself: sent (let out by the gates), bundled, \
      dropped, held; and delivered: deliveries that a sink took or that are in the inbox.
      """)
    for entry in occurrences {
      writer.sample(
        [("reminder", entry.reminder), ("outcome", entry.outcome.rawValue)], entry.count)
    }
    writer.begin(
      "chimed_verdicts_total", .counter,
      "Settled occurrences that a gate had held or dropped.")
    for gate in Gate.allCases {
      let verdicts = counters.verdicts[Int(gate.rawValue)]
      writer.sample([("gate", gate.reason), ("verdict", "held")], verdicts.held)
      writer.sample([("gate", gate.reason), ("verdict", "dropped")], verdicts.dropped)
    }
  }

  private func writeLanes(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_deliveries_total", .counter, "Deliveries that a sink has answered for, by answer.")
    for lane in lanes {
      let answers = [
        ("delivered", lane.answers.delivered), ("retry", lane.answers.retried),
        ("rejected", lane.answers.rejected),
      ]
      for (outcome, count) in answers {
        writer.sample([("sink", lane.sink), ("outcome", outcome)], count)
      }
    }
    write(.counter, "chimed_sink_outages_total", "Batches of which a sink took nothing.", &writer) {
      Double($0.answers.outages)
    }
    write(
      .counter, "chimed_orphaned_deliveries_total",
      "Deliveries that were with a sink when the service ended, and were attempted again.",
      &writer
    ) { Double($0.answers.orphaned) }
    write(
      .counter, "chimed_set_aside_deliveries_total",
      "Deliveries that became dead letters because the service died while a sink had them.",
      &writer
    ) { Double($0.answers.setAside) }
    write(.gauge, "chimed_sink_failing", "Whether a sink fails just now.", &writer) {
      $0.isFailing ? 1 : 0
    }
    write(.gauge, "chimed_sink_paused", "Whether an operator has paused a sink.", &writer) {
      $0.isPaused ? 1 : 0
    }
    writer.begin(
      "chimed_sink_latency_seconds", .histogram,
      "How long batches were with a sink that it answered for.")
    for lane in lanes { writer.sample([("sink", lane.sink)], lane.answers.latency) }
    write(
      .gauge, "chimed_outbox_waiting", "Notifications that a sink has not answered for.", &writer
    ) { Double($0.waiting) }
    write(
      .gauge, "chimed_outbox_age_seconds",
      "For how long the oldest delivery that a sink has not taken has been decided.", &writer
    ) { Double($0.oldest.milliseconds) / 1_000 }
    write(.gauge, "chimed_retries_waiting", "Deliveries to be attempted again.", &writer) {
      Double($0.retrying)
    }
    write(.gauge, "chimed_dead_letters", "Deliveries that are attempted no more.", &writer) {
      Double($0.deadLetters)
    }
  }

  private func write(_ analytics: Lane, to writer: inout MetricsWriter) {
    let sink: MetricsWriter.Labels = [("sink", analytics.sink)]
    writer.begin(
      "chimed_analytics_total", .counter,
      "Analytics events that the sink of their route has answered for, by answer.")
    let answers = [
      ("delivered", analytics.answers.delivered), ("retry", analytics.answers.retried),
      ("rejected", analytics.answers.rejected),
    ]
    for (outcome, count) in answers { writer.sample(sink + [("outcome", outcome)], count) }
    writer.begin(
      "chimed_analytics_failing", .gauge, "Whether the sink of analytics events takes none.")
    writer.sample(sink, analytics.isFailing ? 1 : 0)
    writer.begin(
      "chimed_analytics_waiting", .gauge,
      "Analytics events that the sink has not answered for; 10000 are as many or more.")
    writer.sample(sink, analytics.waiting)
    writer.begin(
      "chimed_analytics_age_seconds", .gauge,
      "How long ago the oldest analytics event was told that the sink has not taken.")
    writer.sample(sink, Double(analytics.oldest.milliseconds) / 1_000)
  }

  private func write(
    _ kind: MetricsWriter.Kind, _ name: StaticString, _ help: StaticString,
    _ writer: inout MetricsWriter, value: (Lane) -> Double
  ) {
    writer.begin(name, kind, help)
    for lane in lanes { writer.sample([("sink", lane.sink)], value(lane)) }
  }

  private func writeParts(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_progress_age_seconds", .gauge,
      "For how long a part that the watchdog watches has owed a sign of progress; 0 at rest.")
    for part in parts { writer.sample([("part", part.name)], part.age) }
  }
}

extension UsageTable {
  /// Writes the counts of use as families.
  func write(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_usage_total", .counter,
      "What came of notifications, by category, channel and hour of the recipients' days.")
    for row in rows {
      for measure in UsageMeasure.allCases {
        guard let count = row.counts[measure], measure != .dropped else { continue }
        writer.sample(row.labels + [("measure", measure.rawValue)], count)
      }
    }
    writer.begin(
      "chimed_usage_dropped_total", .counter,
      "Notifications that a gate dropped, by category, channel and hour of the recipients' days.")
    for row in rows {
      for gate in Gate.allCases {
        guard let count = row.drops[gate] else { continue }
        writer.sample(row.labels + [("gate", gate.reason)], count)
      }
    }
    writer.begin(
      "chimed_preset_uses_total", .counter, "How often switches became those of a preset.")
    for (name, count) in presets.sorted(by: { $0.key < $1.key }) {
      writer.sample([("preset", name)], count)
    }
  }
}

extension UsageTable.Row {
  fileprivate var labels: MetricsWriter.Labels {
    [("category", category), ("channel", channel.name), ("hour", "\(hour)")]
  }
}
