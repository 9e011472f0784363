import CivilTime
import Engine
import Outbox
import Reminders

extension ServiceMetrics {
  /// The metrics in Prometheus' text format.
  var text: String {
    var writer = MetricsWriter()
    writeService(to: &writer)
    writeClock(to: &writer)
    writeMaintenance(to: &writer)
    writeSchedule(to: &writer)
    writeEvents(to: &writer)
    writeOccurrences(to: &writer)
    usage.write(to: &writer)
    writeLanes(to: &writer)
    writeAnalytics(to: &writer)
    writeParts(to: &writer)
    if let audit { write(audit, to: &writer) }
    if let spans { write(spans, to: &writer) }
    fleet?.write(to: &writer)
    return writer.text
  }

  private func writeService(to writer: inout MetricsWriter) {
    writer.begin("chimed_build_info", .gauge, "The running version; always 1.")
    writer.sample([("version", Version.current)], 1)
    writer.single(
      "process_start_time_seconds", .gauge, "When the service started, in Unix time.",
      Double(started.milliseconds) / 1_000)
    writer.begin("chimed_catalog_info", .gauge, "The loaded catalogs; always 1.")
    for catalog in catalogs { writer.sample([("catalog", catalog)], 1) }
    writer.begin(
      "chimed_zone_database_info", .gauge, "The tz database used for planning; always 1.")
    writer.sample([("version", zoneDatabase)], 1)
    writer.single(
      "chimed_zone_database_generation", .gauge,
      "Number of the tz database snapshot used for planning, counted from the start.",
      Double(zoneGeneration))
    writer.single(
      "chimed_storage_failing", .gauge,
      "Whether writes fail, as on a full disk; events are rejected meanwhile.",
      isStorageFailing ? 1 : 0)
    writer.single(
      "chimed_store_bytes", .gauge, "Size of the store on disk, including its log.",
      Double(storeSize))
    if let diskUse {
      writer.single(
        "chimed_store_disk_used_ratio", .gauge,
        "The share of the store's file system that is in use, from 0 to 1.", diskUse)
    }
    writer.histogram(
      "chimed_commit_duration_seconds",
      "Duration of commits with writes, including their sync.", commits)
  }

  private func writeClock(to writer: inout MetricsWriter) {
    writer.single(
      "chimed_clock_lead_seconds", .gauge,
      "How far the clock has leapt ahead, while nothing is sent because of it; otherwise 0.",
      clockLead.seconds)
    writer.single(
      "chimed_clock_lag_seconds", .gauge,
      "How far the clock is behind the newest record, while nothing fires; otherwise 0.",
      clockLag.seconds)
    write(
      zonesReleased, "chimed_zone_database_release_timestamp_seconds",
      "When the tz database was released, approximately, in Unix time.", to: &writer)
    write(
      holidaysEnd, "chimed_holidays_end_timestamp_seconds",
      "The earliest end of the known holidays of a region in use, in Unix time.", to: &writer)
  }

  /// Writes metrics of the configuration, the tokens and the retention of data.
  private func writeMaintenance(to writer: inout MetricsWriter) {
    writer.single(
      "chimed_configuration_rejected", .gauge,
      "Whether the last reload or the start rejected the configuration files.",
      isReloadRejected ? 1 : 0)
    write(
      tokenExpiry, "chimed_token_expiry_timestamp_seconds",
      "When the first token of an app expires or has expired, in Unix time.", to: &writer)
    writer.single(
      "chimed_pruned_rows_total", .counter,
      "Rows removed since the start because their retention ended.", Double(counters.pruned))
    guard let retentionAge else { return }
    writer.single(
      "chimed_retention_age_seconds", .gauge,
      "Time since retention last examined all rows, or since the start; a round begins every 6 h.",
      retentionAge.seconds)
  }

  /// Writes an instant as a gauge without labels. Writes nothing if the instant is nil.
  private func write(
    _ instant: Instant?, _ name: StaticString, _ help: StaticString,
    to writer: inout MetricsWriter
  ) {
    guard let instant else { return }
    writer.single(name, .gauge, help, Double(instant.milliseconds) / 1_000)
  }

  private func writeSchedule(to writer: inout MetricsWriter) {
    writer.single(
      "chimed_recipients", .gauge, "Recipients with stored facts.", Double(recipients))
    writer.single("chimed_pending", .gauge, "Pending occurrences.", Double(pending))
    writer.single(
      "chimed_due", .gauge, "Recipients that are due and not processed yet.",
      Double(due))
    writer.single(
      "chimed_replanning", .gauge, "Recipients that wait for a replan.", Double(stale))
    writer.single(
      "chimed_lost_zone_recipients", .gauge, "Recipients whose zone the tz database lacks.",
      Double(inLostZones))
    writer.single(
      "chimed_streams", .gauge, "Open streams of notifications.", Double(streams))
    writer.histogram(
      "chimed_lateness_seconds",
      "Delay between a recipient's due instant and the engine cycle that processed it.",
      counters.lateness)
  }

  private func writeEvents(to writer: inout MetricsWriter) {
    writer.begin("chimed_events_total", .counter, "Submitted events, by outcome.")
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
      Occurrences of reminders, per channel group: sent (passed by the gates), bundled, \
      dropped, held; and delivered: deliveries that a sink accepted or that are in the inbox.
      """)
    for entry in occurrences {
      writer.sample(
        [("reminder", entry.reminder), ("outcome", entry.outcome.rawValue)], entry.count)
    }
    writer.begin(
      "chimed_verdicts_total", .counter,
      "Finished occurrences that a gate had held or dropped.")
    for gate in Gate.allCases {
      let verdicts = counters.verdicts[Int(gate.rawValue)]
      writer.sample([("gate", gate.reason), ("verdict", "held")], verdicts.held)
      writer.sample([("gate", gate.reason), ("verdict", "dropped")], verdicts.dropped)
    }
  }

  private func writeLanes(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_deliveries_total", .counter, "Deliveries that a sink has answered, by answer.")
    for lane in lanes {
      let answers = [
        ("delivered", lane.answers.delivered), ("retry", lane.answers.retried),
        ("rejected", lane.answers.rejected),
      ]
      for (outcome, count) in answers {
        writer.sample([("sink", lane.sink), ("outcome", outcome)], count)
      }
    }
    writePerLane(
      .counter, "chimed_sink_outages_total", "Batches that failed as a whole.", &writer
    ) { Double($0.answers.outages) }
    writePerLane(
      .counter, "chimed_orphaned_deliveries_total",
      "Deliveries in flight when the service ended, which were attempted again.",
      &writer
    ) { Double($0.answers.orphaned) }
    writePerLane(
      .counter, "chimed_set_aside_deliveries_total",
      "Deliveries quarantined as dead letters because the service died while they were in flight.",
      &writer
    ) { Double($0.answers.quarantined) }
    writePerLane(.gauge, "chimed_sink_failing", "Whether a sink is failing.", &writer) {
      $0.isFailing ? 1 : 0
    }
    writePerLane(.gauge, "chimed_sink_paused", "Whether an operator has paused a sink.", &writer) {
      $0.isPaused ? 1 : 0
    }
    writer.begin(
      "chimed_sink_latency_seconds", .histogram,
      "Time between a batch's dispatch to a sink and the last of its answers.")
    for lane in lanes { writer.sample([("sink", lane.sink)], lane.answers.latency) }
    writePerLane(
      .gauge, "chimed_outbox_waiting", "Deliveries that a sink has not answered yet.", &writer
    ) { Double($0.waiting) }
    writePerLane(
      .gauge, "chimed_outbox_age_seconds",
      "Age of the oldest delivery that a sink has not accepted; examines at most 10,000 retries.",
      &writer
    ) { Double($0.oldest.milliseconds) / 1_000 }
    writePerLane(
      .gauge, "chimed_outbox_queue_age_seconds",
      "Age of the oldest delivery that waits for the first answer of a sink; without retries.",
      &writer
    ) { $0.oldestInQueue.seconds }
    writePerLane(
      .gauge, "chimed_retries_waiting", "Deliveries to be attempted again, up to 10,000.", &writer
    ) { Double($0.retrying) }
    writePerLane(
      .gauge, "chimed_dead_letters", "Deliveries without further attempts, up to 10,000.", &writer
    ) { Double($0.deadLetters) }
  }

  /// Writes the metrics of the sinks that receive analytics events, if there are any.
  private func writeAnalytics(to writer: inout MetricsWriter) {
    guard !analytics.isEmpty else { return }
    writer.begin(
      "chimed_analytics_total", .counter,
      "Analytics events that their sink has answered, by answer.")
    for lane in analytics {
      let answers = [
        ("delivered", lane.answers.delivered), ("retry", lane.answers.retried),
        ("rejected", lane.answers.rejected),
      ]
      for (outcome, count) in answers {
        writer.sample([("sink", lane.sink), ("outcome", outcome)], count)
      }
    }
    writer.begin(
      "chimed_analytics_failing", .gauge, "Whether the sink of analytics events is failing.")
    for lane in analytics { writer.sample([("sink", lane.sink)], lane.isFailing ? 1 : 0) }
    writer.begin(
      "chimed_analytics_waiting", .gauge,
      "Analytics events that the sink has not answered yet; 10000 means at least that many.")
    for lane in analytics { writer.sample([("sink", lane.sink)], lane.waiting) }
    writer.begin(
      "chimed_analytics_age_seconds", .gauge,
      "Age of the oldest analytics event that the sink has not accepted.")
    for lane in analytics {
      writer.sample([("sink", lane.sink)], Double(lane.oldest.milliseconds) / 1_000)
    }
  }

  /// Writes a metric with one sample for each lane, the queue of a sink.
  private func writePerLane(
    _ kind: MetricsWriter.Kind, _ name: StaticString, _ help: StaticString,
    _ writer: inout MetricsWriter, value: (Lane) -> Double
  ) {
    writer.begin(name, kind, help)
    for lane in lanes { writer.sample([("sink", lane.sink)], value(lane)) }
  }

  private func write(_ audit: AuditSummary, to writer: inout MetricsWriter) {
    write(
      audit.until, "chimed_audit_until_timestamp_seconds",
      "The end of the latest audited day, in Unix time.", to: &writer)
    writer.single(
      "chimed_audit_recipients", .gauge, "Recipients that the latest nightly audit compared.",
      Double(audit.recipients))
    writer.single(
      "chimed_audit_differences", .gauge,
      "Audited recipients with a recorded decision that the replay does not yield.",
      Double(audit.differences))
    writer.single(
      "chimed_audit_excused", .gauge,
      "Audited recipients whose first disagreement the record explains.", Double(audit.excused))
  }

  private func write(_ spans: SpanCounts, to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_spans_total", .counter,
      "Spans of sampled traces: exported to the collector, or dropped.")
    writer.sample([("outcome", "exported")], spans.exported)
    writer.sample([("outcome", "dropped")], spans.dropped)
  }

  private func writeParts(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_progress_age_seconds", .gauge,
      "Time since the last progress of a part that the watchdog watches; 0 at rest.")
    for part in parts { writer.sample([("part", part.name)], part.secondsWithoutProgress) }
  }
}

extension UsageTable {
  /// Writes the table as three metrics.
  func write(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_usage_total", .counter,
      "Outcomes and uses of notifications, by category, channel and the recipients' local hour.")
    for row in rows {
      for measure in UsageMeasure.allCases {
        guard let count = row.counts[measure], measure != .dropped else { continue }
        writer.sample(row.labels + [("measure", measure.rawValue)], count)
      }
    }
    writer.begin(
      "chimed_usage_dropped_total", .counter,
      "Notifications dropped by a gate, by category, channel and the recipients' local hour.")
    for row in rows {
      for gate in Gate.allCases {
        guard let count = row.drops[gate] else { continue }
        writer.sample(row.labels + [("gate", gate.reason)], count)
      }
    }
    writer.begin(
      "chimed_preset_uses_total", .counter, "Uses of presets.")
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
