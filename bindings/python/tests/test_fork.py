"""Calls in processes that were forked."""

import multiprocessing
import os
import subprocess
import sys
import unittest

import numpy as np
import swath
from support import boxes


def call_in_child(call, connection):
    """Sends what a call returns or raises."""
    try:
        connection.send(call())
    except RuntimeError as error:
        connection.send(str(error))


def in_forked_process(call):
    """What a call returns or raises in a forked process, or "no answer"."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=call_in_child, args=(call, there))
    child.start()
    answer = here.recv() if here.poll(20) else "no answer"
    child.kill()
    child.join()
    return answer


@unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
class ForkTest(unittest.TestCase):
    """Goal: a call in a forked process never waits for threads of its parent. Method: calls after the parent has used its threads."""

    def setUp(self):
        self.low, self.high, self.delta = boxes(20_000, 41)
        # The parent uses the threads that objects share.
        self.pairs = len(swath.PairFinder().swept_pairs(self.low, self.high, self.delta)[0])
        self.assertGreater(self.pairs, 0)

    def check_error(self, call):
        self.assertRegex(in_forked_process(call), "forked.*'spawn', or threads=1")

    def test_objects_with_threads_of_the_parent_are_errors(self):
        low, high, delta = self.low, self.high, self.delta
        finder, world, bvh = swath.PairFinder(threads=2), swath.Broadphase(threads=2), swath.Bvh(low, high, threads=2)
        ids = world.insert(low, high, delta)
        finder.union_pairs(low, high)
        self.check_error(lambda: finder.union_pairs(low, high))
        self.check_error(lambda: finder.union_pairs_between(low, high, low, high))
        self.check_error(lambda: finder.swept_pairs(low, high, delta))
        self.check_error(lambda: world.insert(low, high))
        self.check_error(lambda: world.set(ids, low, high))
        self.check_error(lambda: world.update())
        self.check_error(lambda: world.nearest(low))
        self.check_error(lambda: world.pairs())
        self.check_error(lambda: world.clear())
        self.check_error(lambda: bvh.cast(low, delta))
        self.check_error(lambda: bvh.overlaps(low, high))
        self.check_error(lambda: bvh.nearest(low))
        # The parent goes on.
        self.assertEqual(len(finder.swept_pairs(low, high, delta)[0]), self.pairs)

    @unittest.skipIf(os.cpu_count() == 1, "the shared threads are one")
    def test_shared_threads_of_the_parent_are_errors(self):
        low, high, delta = self.low, self.high, self.delta
        balls, pairs = [swath.Convex.sphere(1.0)] * 2000, np.array([[0, 1]] * 2000, np.uint32)
        positions, faces = low.astype(np.float64), np.array([[0, 1, 2]], np.uint32)
        of_faces = np.array([[5, 0]] * 5000, np.uint32)
        corners, heights = np.arange(60_000, dtype=np.uint32).reshape(-1, 3) // 3, low.reshape(300, 200)
        mesh, still = swath.Mesh(low, corners, threads=2), swath.Motion()
        finder = swath.PairFinder()
        self.check_error(lambda: finder.swept_pairs(low, high, delta))
        self.check_error(lambda: len(swath.Mesh(low, corners)))
        self.check_error(lambda: len(swath.HeightField(heights, [1.0, 1.0])))
        self.check_error(lambda: len(swath.Compound(balls, low[:2000])))
        self.check_error(lambda: len(mesh.faults()))
        self.check_error(lambda: len(swath.cast(mesh, still, low, delta)[0]))
        self.check_error(lambda: len(swath.first_times([mesh, balls[0]], low[:2], delta[:2], pairs)))
        self.check_error(lambda: len(swath.Bvh(low, high)))
        self.check_error(lambda: len(swath.tick(low, high, delta)[0]))
        self.check_error(lambda: len(swath.first_times(balls, low[:2000], delta[:2000], pairs)))
        self.check_error(lambda: len(swath.vertex_face(positions, positions, faces, of_faces)[0]))
        self.check_error(lambda: len(swath.screen_conjunctions(swath.catalogue(1000), 120.0)[0]))

    def test_one_shared_thread_of_the_parent_is_an_error_for_a_screening(self):
        # A process of its own, because the number of shared threads is read once.
        script = (
            "import swath, test_fork\n"
            "screen = lambda: len(swath.screen_conjunctions(swath.catalogue(100), 120.0)[0])\n"
            "screen()\n"
            "print(test_fork.in_forked_process(screen))\n"
        )
        here, environment = os.path.dirname(os.path.abspath(__file__)), {**os.environ, "RAYON_NUM_THREADS": "1"}
        done = subprocess.run([sys.executable, "-c", script], cwd=here, env=environment, capture_output=True, text=True, timeout=60)
        self.assertRegex(done.stdout, "forked.*'spawn', or threads=1", done.stderr)

    def test_one_thread_and_new_threads_work(self):
        low, high, delta = self.low, self.high, self.delta
        balls, pairs = [swath.Convex.sphere(1.0)] * 2000, np.array([[0, 1]] * 2000, np.uint32)
        kept = swath.PairFinder(threads=1)
        kept.union_pairs(low, high)
        with_threads = swath.PairFinder(threads=3)
        for make in (lambda: kept, lambda: swath.PairFinder(threads=1), lambda: swath.PairFinder(threads=2)):
            self.assertEqual(in_forked_process(lambda: len(make().swept_pairs(low, high, delta)[0])), self.pairs)
        for threads in (1, 2):
            first_times = lambda: swath.first_times(balls, low[:2000], delta[:2000], pairs, threads=threads)
            self.assertEqual(in_forked_process(lambda: len(first_times())), 2000)
            screen = lambda: swath.screen_conjunctions(swath.catalogue(3000), 600.0, within_km=50.0, threads=threads)
            self.assertEqual(in_forked_process(lambda: len(screen()[0])), len(screen()[0]))

        corners, heights = np.arange(60_000, dtype=np.uint32).reshape(-1, 3) // 3, low.reshape(300, 200)
        mesh, still = swath.Mesh(low, corners, threads=1), swath.Motion()
        self.assertEqual(in_forked_process(lambda: len(mesh.faults())), len(mesh.faults()))
        self.assertIs(in_forked_process(lambda: swath.overlaps(mesh, still, balls[0], still)), True)
        for threads in (1, 2):
            for make in (
                lambda: swath.Mesh(low, corners, threads=threads),
                lambda: swath.HeightField(heights, [1.0, 1.0], threads=threads),
                lambda: swath.Compound(balls, low[:2000], threads=threads),
            ):
                self.assertEqual(in_forked_process(lambda: len(make())), len(make()))
            cast = lambda: swath.cast(mesh, still, low, delta, threads=threads)[0]
            self.assertEqual(in_forked_process(lambda: cast().tolist()), cast().tolist())

        # An object of the parent is destroyed.
        def destroy():
            nonlocal with_threads
            del with_threads
            return "done"

        self.assertEqual(in_forked_process(destroy), "done")
