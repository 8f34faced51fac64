"""Game records: JSON Lines, one game a line, which can be verified by the rules alone."""

from lynxden.records.reader import Fault, read_record, read_records
from lynxden.records.record import FORMAT, Record, Recorder, RecordError
from lynxden.records.replay import Step, positions, steps, verify

__all__ = [
    "FORMAT",
    "Fault",
    "Record",
    "RecordError",
    "Recorder",
    "Step",
    "positions",
    "read_record",
    "read_records",
    "steps",
    "verify",
]
