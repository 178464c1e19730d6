"""Closest approaches of 30,000 objects in orbit within a day.

Run: python conjunctions.py [objects] [hours]
"""

import sys
import time

import numpy as np
import swath

objects = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
hours = float(sys.argv[2]) if len(sys.argv) > 2 else 24.0

# Rows are Kepler elements; replace this by elements of your own, in km and radians.
elements = swath.catalogue(objects, seed=1)



def show(done, of):
    print(f"\rtick {done} of {of}", end="\n" if done == of else "", file=sys.stderr)


clock = time.perf_counter()
pairs, seconds, km, speed = swath.screen_conjunctions(
    elements,
    hours * 3600.0,
    within_km=5.0,
    tick_seconds=60.0,
    progress=show if sys.stderr.isatty() else None,
)
clock = time.perf_counter() - clock
print(f"{len(pairs)} approaches of {objects} objects within 5 km in {hours:g} hours: {clock:.2f} s")

print(f"{'object':>8}{'object':>9}{'hours':>10}{'distance m':>13}{'km/s':>8}")
for k in np.argsort(km)[:10]:
    a, b = pairs[k]
    print(f"{a:>8}{b:>9}{seconds[k] / 3600:>10.4f}{km[k] * 1000:>13.1f}{speed[k]:>8.3f}")
