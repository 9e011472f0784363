#!/usr/bin/python3
"""Stores a booking and submits an event in one transaction. The argument is the database."""
import json, sys
import psycopg  # Debian's python3-psycopg

def book(number, person, pays):
    with psycopg.connect(sys.argv[1]) as database:  # commits at the end, unless there is an error
        database.execute("INSERT INTO booking VALUES (%s, %s)", [number, person])
        database.execute("SELECT chimed.submit(%s)", [json.dumps({
            "specversion": "1.0", "source": "shop", "id": f"booking-{number}",
            "type": "notification.requested", "subject": person,
            "data": {"category": "LESSON", "title": f"Booking {number} is confirmed",
                     "body": "See you soon."}})])
        if not pays:
            raise RuntimeError(f"booking {number} was not paid for")

with psycopg.connect(sys.argv[1]) as database:
    database.execute("CREATE TABLE IF NOT EXISTS booking (id bigint PRIMARY KEY, person text)")
for number, pays in [(1, False), (2, True)]:
    try:
        book(number, "u1", pays)
        print("booked", number)
    except RuntimeError as failure:
        print("rolled back:", failure)
