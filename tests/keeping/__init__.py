"""Tests of backups, restores and the doctor."""
