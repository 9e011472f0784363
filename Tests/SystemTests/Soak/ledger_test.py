#!/usr/bin/env python3
"""Tests that the ledger finds each kind of violation."""

import json
import unittest

from ledger import Ledger


def line(title, identifier, person="p1"):
    return json.dumps({"title": title, "recipient": person, "id": identifier})


class LedgerTests(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger()
        self.number = self.ledger.add_event("p1", None)
        self.ledger.send(self.number)

    def deliver(self, *lines):
        for text in lines:
            self.ledger.record_delivery(text, now=10)

    def expect_violation(self, *words):
        self.assertEqual(len(self.ledger.violations), 1, self.ledger.violations)
        for word in words:
            self.assertIn(word, self.ledger.violations[0])

    def test_a_correct_run_has_no_violation(self):
        self.ledger.record_answer(0, "accepted", sent_at=9)
        self.deliver(line("e0", "n1"), line("e0", "n1"))
        self.ledger.compare("p1", {"e0"}, [("e0", "n1", ["accepted"])])
        self.assertEqual(self.ledger.violations, [])
        self.assertEqual(self.ledger.missing(), [])
        self.assertEqual(self.ledger.repetition_count(), 1)
        self.assertEqual(self.ledger.acknowledged_titles(), {"p1": {"e0"}})

    def test_a_lost_delivery_is_found(self):
        self.ledger.record_answer(0, "accepted", sent_at=9)
        self.assertEqual(self.ledger.missing(), ["e0"])

    def test_an_unacknowledged_event_is_not_missing(self):
        self.assertEqual(self.ledger.missing(), [])

    def test_a_second_id_is_found(self):
        self.deliver(line("e0", "n1"), line("e0", "n2"))
        self.expect_violation("e0", "n1", "n2")

    def test_a_delivery_without_a_request_is_found(self):
        self.deliver(line("e1", "n1"))
        self.expect_violation("not requested", "e1")

    def test_a_delivery_to_another_person_is_found(self):
        self.deliver(line("e0", "n1", "p2"))
        self.expect_violation("not requested", "p2")

    def test_a_line_that_was_cut_off_is_counted(self):
        self.deliver(line("e0", "n1")[:-5])
        self.assertEqual(self.ledger.cut_lines, 1)
        self.assertEqual(self.ledger.missing(), [])

    def test_an_acknowledged_event_accepted_as_new_is_found(self):
        for _ in range(2):
            self.ledger.record_answer(0, "accepted", sent_at=9)
        self.expect_violation("was acknowledged, and then")

    def test_a_delivered_event_accepted_as_new_is_found(self):
        self.deliver(line("e0", "n1"))
        self.ledger.record_answer(0, "accepted", sent_at=11)
        self.expect_violation("was delivered, and then")

    def test_a_duplicate_of_an_event_sent_once_is_found(self):
        self.ledger.record_answer(0, "duplicate", sent_at=9)
        self.expect_violation("sent once")

    def test_a_duplicate_is_an_acknowledgement(self):
        self.ledger.send(0)
        self.ledger.record_answer(0, "duplicate", sent_at=9)
        self.assertEqual(self.ledger.violations, [])
        self.assertEqual(self.ledger.silently_accepted, 1)
        self.ledger.mark_unacknowledged(0)
        self.assertEqual(self.ledger.unacknowledged, [])

    def test_a_second_notification_in_the_store_is_found(self):
        rows = [("e0", "n1", ["accepted"]), ("e0", "n2", ["accepted"])]
        self.ledger.compare("p1", {"e0"}, rows)
        self.expect_violation("is in the store", "n1", "n2")

    def test_another_id_in_the_store_is_found(self):
        self.deliver(line("e0", "n1"))
        self.ledger.compare("p1", {"e0"}, [("e0", "n2", ["accepted"])])
        self.expect_violation("is stored as n2")

    def test_another_outcome_is_found(self):
        self.ledger.compare("p1", {"e0"}, [("e0", "n1", ["expired"])])
        self.expect_violation("expired")

    def test_a_notification_missing_in_the_store_is_found(self):
        self.ledger.compare("p1", {"e0"}, [])
        self.expect_violation("not in the store")


if __name__ == "__main__":
    unittest.main()
