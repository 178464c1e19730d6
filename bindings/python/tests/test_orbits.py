"""Screening of orbits."""

import _thread
import signal
import threading
import unittest

import numpy as np
import swath
from support import F32


class OrbitsTest(unittest.TestCase):
    def test_screening_reports_progress_and_valid_approaches(self):
        elements = swath.catalogue(3000, seed=5)
        self.assertEqual((elements.shape, elements.dtype), ((3000, 6), np.float64))
        calls = []
        pairs, seconds, km, speed = swath.screen_conjunctions(
            elements, 1800.0, within_km=30.0, progress=lambda done, of: calls.append((done, of))
        )
        self.assertEqual(calls[-1], (30, 30))
        self.assertGreater(len(pairs), 20)
        self.assertTrue((km <= 30.0).all() and (np.diff(seconds) >= 0).all() and (speed > 0).all())

    def test_an_error_in_progress_and_bad_elements_are_raised(self):
        elements = swath.catalogue(100)
        with self.assertRaises(ZeroDivisionError):
            swath.screen_conjunctions(elements, 600.0, progress=lambda done, of: 1 / 0)
        elements[3, 1] = 2.0
        with self.assertRaisesRegex(ValueError, "object 3"):
            swath.screen_conjunctions(elements, 600.0)
        with self.assertRaisesRegex(ValueError, "float64"):
            swath.screen_conjunctions(elements.astype(F32), 600.0)

    def test_time_is_rounded_up_to_ticks_and_wrong_ticks_are_named(self):
        elements = swath.catalogue(100)
        calls = []
        swath.screen_conjunctions(elements, 90.0, progress=lambda done, of: calls.append((done, of)))
        self.assertEqual(calls[-1], (2, 2))
        for wrong in (0.0, -60.0, float("nan"), 601.0):
            with self.assertRaisesRegex(ValueError, "tick_seconds: expected 0.001 to 600"):
                swath.screen_conjunctions(elements, 90.0, tick_seconds=wrong)
        for wrong in (-30.0, -90.0, float("nan"), 1e12):
            with self.assertRaisesRegex(ValueError, "seconds: expected a time"):
                swath.screen_conjunctions(elements, wrong)

    def test_an_error_in_progress_ends_the_screening(self):
        elements = swath.catalogue(3000)
        calls = []

        def cancel(done, of):
            calls.append(done)
            raise KeyboardInterrupt

        # All of the ticks would take a hundred times as long.
        for seconds in (6000.0, 600_000.0):
            with self.assertRaises(KeyboardInterrupt):
                swath.screen_conjunctions(elements, seconds, progress=cancel)
        self.assertEqual(calls, [1, 100])

    def test_ctrl_c_ends_the_screening_at_the_next_call_of_progress(self):
        """Goal: an interrupt of the process ends a screening that has a progress function and no threads of its own. Method: the interrupt
        is sent by another thread while a screening runs that would take minutes."""
        ticks, elements = [], swath.catalogue(3000)
        # A process that was started in the background ignores interrupts.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            swath.screen_conjunctions(elements, 600_000.0, progress=lambda done, of: ticks.append(done))
        self.assertLess(len(ticks), 100)
