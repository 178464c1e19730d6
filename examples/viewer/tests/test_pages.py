"""Tests of the viewer's pages in a headless Chromium, with clicks and keys.

Run: VIEWER=path/of/viewer python3 -m unittest discover -s examples/viewer/tests
Screenshots are written to the folder SCREENSHOTS, if that is set.
"""

import base64
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from urllib.parse import parse_qs, urlsplit

from chromium import Browser

VIEWER = os.environ["VIEWER"]
SCREENSHOTS = os.environ.get("SCREENSHOTS")


class Server:
    """A viewer that serves its pages."""

    def __init__(self, *flags):
        command = [VIEWER, "--port", "0", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = re.match(r"(http://[^/]+)/", self.process.stdout.readline()).group(1)

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        self.process.stdout.close()


class PageTest(unittest.TestCase):
    FLAGS = []

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.server = Server(*cls.FLAGS)
        cls.addClassCleanup(cls.server.close)

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        self.assertTrue(self.evaluate("$('trouble').hidden"), self.text("trouble"))

    def open(self, path, **size):
        self.browser.open(self.server.url + path, **size)

    def evaluate(self, script):
        return self.browser.evaluate(script)

    def text(self, identifier):
        return self.evaluate(f"$('{identifier}').textContent")

    def at(self, pixel):
        """A pixel of the canvas as one of the page."""
        x, y = self.evaluate("(() => { const r = canvas.getBoundingClientRect(); return [r.x, r.y]; })()")
        return [x + pixel[0], y + pixel[1]]

    def colours(self):
        """The number of different colours that the canvas shows, in a grid of pixels."""
        return self.evaluate(
            "(() => { draw(performance.now()); const gl = stage.gl, p = new Uint8Array(4), seen = new Set();"
            " for (let x = 8; x < canvas.width; x += 16) for (let y = 8; y < canvas.height; y += 16) {"
            " gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p); seen.add(p.join()); } return seen.size; })()"
        )

    def pose(self):
        return self.evaluate("[camera.yaw, camera.pitch, camera.away, ...camera.target]")

    def address(self):
        parts = parse_qs(urlsplit(self.evaluate("location.href")).fragment)
        return {name: values[0] for name, values in parts.items()}

    def keep(self, name):
        if SCREENSHOTS:
            with open(os.path.join(SCREENSHOTS, name), "wb") as file:
                file.write(self.browser.image())

    def fits_a_phone(self, path):
        """At a width of 390 pixels nothing is cut off at the side, and the controls can be reached."""
        self.open(path, width=390, height=844)
        self.assertEqual(self.evaluate("document.documentElement.scrollWidth"), 390)
        wide = "[...document.querySelectorAll('header *, aside *, footer *, main *')].filter((e) => e.offsetParent && e.getBoundingClientRect().right > 390.5).map((e) => e.outerHTML.slice(0, 80))"
        self.assertEqual(self.evaluate(wide), [])
        self.assertGreater(self.evaluate("canvas.clientHeight"), 300)
        self.assertGreater(self.colours(), 20)
        self.browser.click("#play")
        self.assertEqual(self.text("play"), "Pause")

    def camera_obeys_keys(self):
        self.evaluate("document.activeElement.blur()")
        home = self.pose()
        for key, index in [("ArrowLeft", 0), ("ArrowUp", 1), ("+", 2)]:
            before = self.pose()
            self.browser.press(key)
            self.assertNotEqual(self.pose()[index], before[index], key)
        self.browser.press("ArrowRight", shift=True)
        self.assertNotEqual(self.pose()[3:], home[3:])
        self.browser.click("#reset")
        self.assertEqual(self.pose(), home)
        self.browser.press("-")
        self.browser.press("r")
        self.assertEqual(self.pose(), home)


class TicksTest(PageTest):
    def box(self, row):
        """The pixel of the page at which the centre of a box is drawn."""
        return self.at(self.evaluate(f"camera.screen(centreOf(tick.rows, {row}, now.t))"))

    def test_default_ticks_tell_what_happens(self):
        self.open("/")
        self.assertIn("bullet", self.text("story"))
        self.assertRegex(self.text("sentence"), r"16 boxes, 4 of them moving\. .* touch in this tick, 1 only comes near")
        # Nothing overlaps at the start, and the picture has a contact and a candidate that misses.
        self.assertEqual(self.text("overlaps"), "0")
        self.assertEqual((self.text("met"), self.text("dropped")), ("1", "1"))
        self.assertGreater(self.colours(), 50)
        self.keep("viewer-ticks.png")

    def test_hover_names_a_box_and_a_click_picks_it(self):
        self.open("/#t=0.3")
        bullet = self.evaluate("tick.impacts[0].b")
        self.browser.move(self.box(bullet))
        self.assertEqual(self.text("tip"), f"box {bullet} · 5 pairs")
        before = self.colours()
        self.browser.click(self.box(bullet))
        self.assertEqual(self.text("picked-name"), f"Box {bullet}")
        self.assertIn("touches another box", self.text("picked-facts"))
        self.assertEqual(self.evaluate("document.querySelectorAll('#partners button').length"), 5)
        # All boxes that are in no pair with it are dimmed.
        dimmed = "Array.from(tick.moves.keys()).filter((row) => tick.states[2 * row] >= 8).length"
        self.assertEqual(self.evaluate(dimmed), 16 - 6)
        self.keep("viewer-picked.png")
        partner = self.evaluate("now.partners[0].row")
        self.browser.click("#partners button")
        self.assertEqual(self.text("picked-name"), f"Box {partner}")
        self.browser.press("Escape")
        self.assertTrue(self.evaluate("$('picked').hidden"))
        self.assertEqual(self.evaluate(dimmed), 0)
        self.assertGreater(before, 0)

    def test_a_drag_rotates_and_picks_nothing(self):
        self.open("/")
        before = self.pose()
        start = self.box(3)
        self.browser.drag(start, [start[0] + 80, start[1] + 20])
        self.assertNotEqual(self.pose()[0], before[0])
        self.assertTrue(self.evaluate("$('picked').hidden"))
        self.browser.click("#reset")
        self.assertEqual(self.pose(), before)

    def test_camera_obeys_keys(self):
        self.open("/")
        self.camera_obeys_keys()

    def test_space_plays_but_toggles_a_checkbox_that_has_the_focus(self):
        self.open("/")
        self.browser.press(" ")
        self.assertEqual(self.text("play"), "Pause")
        self.browser.press(" ")
        self.assertEqual(self.text("play"), "Play")
        self.browser.click("#show-bounds")
        self.assertFalse(self.evaluate("$('show-bounds').checked"))
        self.browser.press(" ")
        self.assertTrue(self.evaluate("$('show-bounds').checked"))
        self.assertEqual(self.text("play"), "Play")
        # The button itself is pressed once, not twice.
        self.evaluate("$('play').focus()")
        self.browser.press(" ")
        self.assertEqual(self.text("play"), "Pause")

    def test_checkboxes_hide_boxes(self):
        self.open("/")
        before = self.colours()
        for kind in ["alone", "still", "candidates", "overlapping", "met"]:
            self.browser.click(f"#show-{kind}")
        self.browser.move(self.box(3))
        self.assertTrue(self.evaluate("$('tip').hidden"))
        self.assertLess(self.colours(), before)

    def test_a_first_time_is_shown_by_a_click(self):
        self.open("/")
        self.browser.click("#impacts button:nth-child(2)")
        self.assertEqual(self.evaluate("now.t"), self.evaluate("tick.impacts[tick.overlaps + 1].t"))
        self.assertTrue(self.evaluate("document.querySelector('#impacts button:nth-child(2)').classList.contains('chosen')"))

    def test_a_tick_in_the_address_is_an_integer(self):
        self.open("/#tick=1.5")
        self.assertEqual(self.evaluate("now.tick"), 1)
        self.assertIn("2 of ", self.text("tick-text"))
        for tick, first in [("x", 0), ("-3", 0), ("1e9", 39)]:
            self.open(f"/#tick={tick}")
            self.assertEqual(self.evaluate("now.tick"), first)

    def test_invalid_parts_of_the_address_are_ignored(self):
        self.open("/")
        pose = self.pose()
        for invalid in ["pick=x&near=0&yaw=x&pitch=x&t=x&hide=x&show=x", "pick=-2&near=-2&yaw=Infinity&pitch=NaN", "pick=Infinity&near=1e999&hide=,"]:
            self.open(f"/#{invalid}")
            self.assertTrue(self.evaluate("$('picked').hidden"), invalid)
            self.assertEqual(self.evaluate("now.picked"), -1)
            self.assertEqual(self.pose(), pose)
            self.assertGreater(self.colours(), 20)
        self.open("/#pick=2.5&near=2&yaw=0.5&pitch=-0.25&hide=paths,alone&show=all-bounds")
        self.assertEqual(self.evaluate("['paths', 'alone', 'still', 'all-bounds'].map(shows)"), [False, False, True, True])
        self.assertEqual(self.text("picked-name"), "Box 2")
        self.assertEqual(self.pose(), [0.5, -0.25, pose[2] / 2, *pose[3:]])
        self.open("/#pick=99&near=1e-300")
        self.assertEqual(self.text("picked-name"), "Box 15")
        self.assertTrue(self.evaluate("[camera.look(1).view].every((view) => view.every(Number.isFinite))"))

    def test_narrow_page(self):
        self.fits_a_phone("/")
        self.browser.click(self.box(3))
        self.assertEqual(self.text("picked-name"), "Box 3")


class EngineTest(PageTest):
    FLAGS = ["--engine", "--boxes", "40", "--ticks", "4"]

    def test_the_wall_fills_the_picture(self):
        self.open("/")
        inside = (
            "(() => { const { clientWidth: w, clientHeight: h } = canvas;"
            " const bricks = Array.from(tick.moves.keys()).filter((row) => Math.abs(tick.rows[9 * row + 4] - tick.rows[9 * row + 1] - 0.2) < 1e-3);"
            " const at = bricks.map((row) => camera.screen(centreOf(tick.rows, row, 0)));"
            " const span = (k) => Math.max(...at.map((p) => p[k])) - Math.min(...at.map((p) => p[k]));"
            " return [bricks.length, at.filter(([x, y]) => x > 0 && x < w && y > 0 && y < h).length, span(0) / w, span(1) / h]; })()"
        )
        bricks, seen, wide, high = self.evaluate(inside)
        self.assertEqual((bricks, seen), (120, 120))
        self.assertGreater(wide, 0.35)
        self.assertGreater(high, 0.3)
        self.keep("viewer-engine.png")


class CaptureTest(PageTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        capture = os.path.join(folder.name, "tick.bin")
        tick = os.path.join(os.path.dirname(VIEWER), "tick")
        flags = "--scene dense --boxes 300 --shapes 40 --ticks 1 --capture"
        subprocess.run([tick, *flags.split(), capture], check=True, capture_output=True)
        cls.FLAGS = ["--replay", capture]
        super().setUpClass()

    def test_captured_shapes_are_drawn_and_picked(self):
        self.open("/")
        self.assertGreater(self.evaluate("tick.shaped.size"), 50)
        self.assertGreater(self.colours(), 100)
        row = self.evaluate("tick.impacts[tick.overlaps].a")
        self.evaluate(f"pick({row})")
        self.assertEqual(self.text("picked-name"), f"Box {row}")
        self.assertGreater(self.evaluate("document.querySelectorAll('#partners button').length"), 0)
        self.assertGreater(self.colours(), 20)


class CapturedCasesTest(PageTest):
    """Ticks that `testkit/examples/viewer_captures.rs` writes, by name."""

    TICKS = ["unresolved", "parts", "boxes", "points"]

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        writer = os.path.join(os.path.dirname(VIEWER), "viewer_captures")
        subprocess.run([writer, folder.name], check=True, capture_output=True)
        cls.FLAGS = ["--replay", *[os.path.join(folder.name, f"{name}.bin") for name in cls.TICKS]]
        super().setUpClass()

    def open_tick(self, name, parameters=""):
        self.open(f"/#tick={self.TICKS.index(name)}{parameters}")
        self.assertTrue(self.text("tick-text").startswith(name), self.text("tick-text"))

    def partners(self):
        """The texts of the buttons of the box that is picked."""
        return self.evaluate("[...document.querySelectorAll('#partners button')].map((button) => button.textContent)")

    def dots(self):
        """The number of dots at points of contact in the next picture."""
        return self.evaluate(
            "(() => { $('show-paths').checked = false; let count = 0; const dots = stage.dots;"
            " stage.dots = (list) => { count += list.length / 8; };"
            " draw(performance.now()); stage.dots = dots; return count; })()"
        )

    def test_an_unresolved_pair_is_not_shown_as_a_contact(self):
        self.open_tick("unresolved", "&t=1")
        self.assertEqual(self.evaluate("Array.from(column(Uint8Array, RECORDING.ticks[0].kinds))"), [2])
        self.is_unresolved(r"0\.[1-9]\d{3}")
        # It may be unresolved from the start of the tick, which is no overlap.
        zero = base64.b64encode(bytes(4)).decode()
        self.evaluate(f"(RECORDING.ticks[0] = {{ ...RECORDING.ticks[0], first: '{zero}', unpacked: null }}, pick(-1), load(0), 0)")
        self.is_unresolved(r"0\.0000")

    def is_unresolved(self, begin):
        """The page shows a tick whose only pair is unresolved from this time on."""
        self.assertEqual(self.dots(), 0)
        sentence = self.text("sentence")
        self.assertIn("The bounds of 1 pair overlap: 1 is unresolved.", sentence)
        self.assertNotIn("touch", sentence)
        self.assertEqual([self.text(name) for name in ["dropped", "overlaps", "meeting", "met"]], ["0"] * 4)
        self.assertEqual(self.evaluate("[tick.meets.length, Math.max(...tick.bins)]"), [0, 0])
        self.assertEqual(self.evaluate("Array.from(tick.looks)"), [2, 2])
        # It is in the list of times, and is not marked as a contact that has happened.
        self.assertEqual(self.evaluate("[...document.querySelectorAll('#impacts button')].map((button) => button.className)"), [""])
        self.assertRegex(self.text("impacts"), f"^{begin}0 × 1 unresolved$")
        self.evaluate("pick(0)")
        self.assertEqual(len(self.partners()), 1)
        self.assertRegex(self.partners()[0], f"^1: unresolved from {begin} on$")
        self.assertIn("in a candidate pair", self.text("picked-facts"))

    def test_impacts_of_parts_are_one_pair(self):
        self.open_tick("parts", "&t=1")
        self.assertEqual(self.evaluate("tick.impacts.length"), 4)
        self.assertIn("The bounds of 1 pair overlap: 1 touches in this tick.", self.text("sentence"))
        self.assertEqual([self.text(name) for name in ["overlaps", "meeting", "met"]], ["0", "1", "1"])
        self.assertEqual(self.evaluate("[tick.meets.length, Math.max(...tick.bins)]"), [2, 1])
        self.assertEqual(self.dots(), 4)
        self.evaluate("pick(1)")
        self.assertEqual(len(self.partners()), 1)
        self.assertRegex(self.partners()[0], r"^0: touches at 0\.\d+$")
        # The points of all parts are drawn also for the box that is picked.
        self.assertEqual(self.dots(), 4)
        self.evaluate("now.t = 0")
        self.evaluate("draw(performance.now())")
        self.assertEqual((self.text("meeting"), self.text("met")), ("1", "0"))
        # If one part is unresolved, the pair has the first contact of the others.
        change = (
            "((edit) => { const packed = RECORDING.ticks[now.tick], text = (columns) => btoa(String.fromCharCode(...new Uint8Array(columns.buffer)));"
            " const first = column(Float32Array, packed.first), kinds = column(Uint8Array, packed.kinds); edit(first, kinds);"
            " RECORDING.ticks[now.tick] = { ...packed, first: text(first), kinds: text(kinds), unpacked: null };"
            " now.t = 1; load(now.tick); })"
        )
        self.evaluate(f"{change}((first, kinds) => {{ first[0] = 0.125; kinds[0] = 2; }})")
        self.assertEqual(self.dots(), 3)
        self.assertEqual(self.evaluate("[tick.impacts[0].t, tick.impacts[0].unresolved]"), [0.125, True])
        self.assertIn("overlap: 1 touches in this tick.", self.text("sentence"))
        self.assertEqual([self.text(name) for name in ["overlaps", "meeting", "met"]], ["0", "1", "1"])
        self.assertRegex(self.partners()[0], r"^0: touches at 0\.[2-9]\d*$")
        # The same if all of them begin at the start of the tick.
        self.evaluate(f"{change}((first) => first.fill(0))")
        self.evaluate("draw(performance.now())")
        self.assertIn("overlap: 1 overlaps at its start.", self.text("sentence"))
        self.assertEqual([self.text(name) for name in ["overlaps", "meeting", "met"]], ["1", "0", "0"])
        self.assertEqual(self.partners(), ["0: overlaps at the start"])
        self.assertEqual(self.text("impacts"), "0.00000 × 1 unresolved")

    def test_a_chosen_time_of_points_keeps_the_camera_away(self):
        self.open_tick("points")
        self.browser.click("#impacts button")
        self.assertGreater(self.evaluate("now.t"), 0.99)
        self.assertGreater(self.evaluate("camera.away"), 0)
        self.assertGreater(self.colours(), 20)

    def test_a_ray_in_a_face_plane_hits_the_box(self):
        self.open_tick("boxes")
        self.evaluate("now.t = 0")
        visible = [1] * 5
        for eye, way, row in [
            # In the plane of a face, along an edge, through the middle, and beside the box.
            ([0, 0, 10], [0, 0, -1], 0),
            ([0, 1, 10], [0, 0, -1], 0),
            ([0.5, 0, 10], [0, 0, -1], 0),
            ([-0.25, 0, 10], [0, 0, -1], -1),
            ([1.25, 0, 10], [0, 0, -1], -1),
            # Behind the eye.
            ([0, 0, -10], [0, 0, -1], -1),
            ([0.5, 0, 10], [-1e-320, 0, -1], 0),
            # Boxes that are large count behind all others.
            ([12, 5.5, 0.5], [1, 0, 0], 2),
            ([12, 4.5, 0.5], [1, 0, 0], 1),
        ]:
            found = self.evaluate(f"boxAlong({{ eye: {eye}, way: {way} }}, {visible})")
            self.assertEqual(found, row, (eye, way))

    def test_a_large_moving_box_has_the_state_of_its_pairs(self):
        self.open_tick("boxes", "&pick=1")
        self.assertTrue(self.evaluate("tick.large.has(1)"))
        facts = self.text("picked-facts")
        self.assertIn("pairs1", facts)
        self.assertNotIn("in no pair", facts)
        self.assertIn("overlaps another box at the start", facts)
        # It is drawn as if it were alone, because it would hide the others.
        self.assertEqual(self.evaluate("lookOf(tick, 1, 1)"), 0)


class CrowdTest(PageTest):
    FLAGS = ["--scene", "uniform", "--boxes", "20000", "--ticks", "3"]

    def test_twenty_thousand_boxes_stay_interactive(self):
        self.open("/")
        self.assertEqual(self.text("boxes"), "20,000")
        # The work of the page for a frame, without that of the graphics card.
        # Reading a pixel waits until the frame is drawn; `finish` of Chromium does not, so the click below would wait for all of them.
        cost = "(() => { const all = []; for (let k = 0; k < 15; k++) { const from = performance.now(); draw(from); all.push(performance.now() - from); stage.gl.readPixels(0, 0, 1, 1, stage.gl.RGBA, stage.gl.UNSIGNED_BYTE, new Uint8Array(4)); } return all.sort((a, b) => a - b)[7]; })()"
        self.assertLess(self.evaluate(cost), 60)
        began = time.monotonic()
        middle = self.at(self.evaluate("[canvas.clientWidth / 2, canvas.clientHeight / 2]"))
        self.browser.click(middle)
        self.assertRegex(self.text("picked-name"), r"Box \d+")
        self.browser.press("PageDown")
        self.assertIn("2 of 3", self.text("tick-text"))
        # SwiftShader draws on the CPU, so this is far slower than a graphics card.
        self.assertLess(time.monotonic() - began, 20)


class PairTest(PageTest):
    def settled(self):
        self.browser.wait("pending === null")
        self.browser.frames()

    def body(self, which):
        """A pixel of the page at which a body is drawn and is in front."""
        grid = f"(() => {{ for (let y = 10; y < canvas.clientHeight; y += 6) for (let x = 10; x < canvas.clientWidth; x += 6) {{ const found = bodyAt([x, y]); if (found && found.which === {which} && document.elementFromPoint(canvas.getBoundingClientRect().x + x, canvas.getBoundingClientRect().y + y) === canvas) return [x, y]; }} }})()"
        return self.at(self.evaluate(grid))

    def test_dragging_a_body_moves_it_and_asks_again(self):
        self.open("/pair")
        before = self.evaluate("now.bodies[1].position")
        verdict, pose = self.text("verdict"), self.pose()
        self.assertRegex(verdict, "first touch at t = ")
        start = self.body(1)
        self.browser.drag(start, [start[0] + 20, start[1] + 150])
        self.settled()
        after = self.evaluate("now.bodies[1].position")
        self.assertLess(after[1], before[1] - 0.2)
        self.assertNotEqual(self.text("verdict"), verdict)
        self.assertEqual(self.pose(), pose)
        shown = self.evaluate("document.querySelector('[aria-label=\"B position y\"]').valueAsNumber")
        self.assertAlmostEqual(shown, after[1], places=3)

    def test_address_holds_all_parameters_and_a_preset_clears_it(self):
        self.open("/pair")
        self.assertEqual(self.address(), {})
        self.browser.choose("#target", "0.25")
        self.browser.choose("#touch", "hit")
        self.browser.choose("#to", "0.9")
        self.browser.choose('[aria-label="A velocity x"]', "1.25")
        self.settled()
        address, verdict = self.address(), self.text("verdict")
        self.assertEqual({k: v for k, v in address.items() if k != "pair"}, {"target": "0.25", "touch": "hit", "from": "0", "to": "0.9"})
        self.assertEqual(json.loads(address["pair"])[0]["delta"][0], 1.25)
        url = self.evaluate("location.href")
        self.browser.open(url)
        self.assertEqual(self.evaluate("[$('target').value, $('touch').value, $('to').value]"), ["0.25", "hit", "0.9"])
        self.assertEqual(self.evaluate("now.bodies[0].delta[0]"), 1.25)
        self.assertEqual(self.text("verdict"), verdict)
        self.browser.choose("#preset", "1")
        self.settled()
        self.assertEqual(self.address(), {"preset": "1"})
        self.assertEqual(self.evaluate("[$('target').value, $('touch').value, $('to').value]"), ["0", "if_closing", "1"])
        self.browser.choose("#preset", "0")
        self.settled()
        self.assertEqual(self.address(), {})

    def test_each_step_of_the_search_has_a_caption(self):
        self.open("/pair")
        steps = self.evaluate("now.answer.steps.length")
        self.assertGreater(steps, 2)
        self.assertIn(f"{steps} steps", self.text("sentence"))
        seen = set()
        for k in range(steps):
            self.browser.click("#step-next")
            self.assertEqual(self.text("step-text"), f"step {k + 1} of {steps}")
            self.assertEqual(self.evaluate("now.t"), self.evaluate(f"now.answer.steps[{k}].t"))
            seen.add(self.text("sentence"))
            ends = "this is the first contact." if k + 1 == steps else "and the search goes on from there."
            self.assertTrue(self.text("sentence").endswith(ends), self.text("sentence"))
            if k == 1:
                self.keep("viewer-pair.png")
        self.assertEqual(len(seen), steps)
        self.assertTrue(self.evaluate("$('step-next').disabled"))
        self.browser.press("PageUp")
        self.assertEqual(self.text("step-text"), f"step {steps - 1} of {steps}")

    def test_every_preset_has_an_answer_and_a_picture(self):
        self.open("/pair")
        names = self.evaluate("Object.keys(PRESETS)")
        self.assertGreater(len(names), 6)
        for k, name in enumerate(names):
            self.browser.choose("#preset", str(k))
            self.settled()
            self.assertTrue(self.evaluate("$('trouble').hidden"), name)
            self.assertNotEqual(self.text("verdict"), "", name)
            self.assertGreater(self.colours(), 50, name)

    def test_a_terrain_shows_the_triangle_that_is_hit(self):
        self.open("/pair#preset=4")
        self.assertRegex(self.text("sentence"), r"Of 128 triangles \d+ were searched; number \d+ is hit")
        # The point of contact is on the triangle, within the tolerance.
        off = self.evaluate(
            "(() => { const { triangle, toi } = now.answer; const [a, b, c] = triangle.corners;"
            " const n = unit(cross(minus(b, a), minus(c, a))); return Math.abs(dot(n, minus(toi.on_b, a))); })()"
        )
        self.assertLess(off, 1e-3)
        self.evaluate("(now.t = now.answer.toi.t, redraw(), 0)")
        self.browser.frames()
        self.keep("viewer-terrain.png")

    def test_camera_obeys_keys(self):
        self.open("/pair")
        self.camera_obeys_keys()

    def test_narrow_page(self):
        self.fits_a_phone("/pair")


class ElementsTest(PageTest):
    def settled(self):
        self.browser.wait("pending === null")
        self.browser.frames()

    def test_time_slider_moves_the_elements(self):
        self.open("/elements")
        self.assertRegex(self.text("verdict"), r"first contact at t = 0\.57")
        self.assertIn("barycentric coordinates", self.text("sentence"))
        toi = self.evaluate("now.answer.toi.t")
        self.keep("viewer-elements.png")
        self.browser.choose("#slider", str(toi))
        self.assertRegex(self.text("distance-text"), r"distance (0\.00|\d\.\d+e-)")
        self.browser.choose("#slider", "0")
        self.assertEqual(self.text("time-text"), "t = 0.0000")

    def test_dragging_a_vertex_asks_again(self):
        self.open("/elements")
        before = self.text("verdict")
        start = self.at(self.evaluate("camera.screen(now.query.end[0])"))
        self.browser.drag(start, [start[0] + 10, start[1] - 200])
        self.settled()
        self.assertGreater(self.evaluate("now.query.end[0][1]"), 0.3)
        self.assertNotEqual(self.text("verdict"), before)
        query = json.loads(self.address()["query"])
        self.assertEqual(query["end"], self.evaluate("now.query.end"))

    def test_every_preset_has_an_answer(self):
        self.open("/elements")
        verdicts = []
        for k in range(self.evaluate("Object.keys(PRESETS).length")):
            self.browser.choose("#preset", str(k))
            self.settled()
            verdicts.append(self.text("verdict"))
        self.assertEqual([verdict == "no contact" for verdict in verdicts], [False, False, True, False, False])

    def test_invalid_input_has_no_verdict(self):
        self.open("/elements")
        verdict = self.text("verdict")
        for separation, expected in ((-1, "the input is invalid"), (0, verdict)):
            self.evaluate(f"(now.query.minimum_separation = {separation}, edited(), 0)")
            self.settled()
            self.assertEqual(self.text("verdict"), expected)
        # The browser reports the rejected request.
        self.assertEqual(len(self.browser.errors), 1, self.browser.errors)
        self.assertIn("400", self.browser.errors.pop())

    def test_camera_obeys_keys(self):
        self.open("/elements")
        self.camera_obeys_keys()

    def test_narrow_page(self):
        self.fits_a_phone("/elements")


if __name__ == "__main__":
    unittest.main()
