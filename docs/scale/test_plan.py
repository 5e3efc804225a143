"""Tests of plan.py and of the page that shows its tables: `python3 -m unittest discover -s docs/scale`."""

import copy
import tempfile
import tomllib
import unittest
from pathlib import Path
from types import SimpleNamespace

import plan

PAGE = (Path(__file__).parent.parent / "scale.md").read_text()


def changed(section, **figures):
    all_figures = plan.read()
    vars(getattr(all_figures, section)).update(figures)
    return all_figures


def cell(**changes):
    usual = dict(debates=200, turns=5, places=20, seconds=10.0, shards=4, servers=3, nats_seconds=0.01, background=0.2,
                 ramp=30.0, seed=7)
    return SimpleNamespace(**{**usual, **changes})


class ThePage(unittest.TestCase):
    def test_it_shows_what_the_script_prints(self):
        shown = PAGE.split("<!-- python3 docs/scale/plan.py -->\n")[1].split("<!-- end -->")[0]
        self.assertEqual(shown.strip(), plan.report(plan.read()).strip())

    def test_it_says_where_every_figure_comes_from(self):
        for section, figures in tomllib.loads(plan.FIGURES.read_text()).items():
            for name, value in figures.items():
                self.assertIn(f"| `{section}.{name}` | {value:.12g} |", PAGE)


class Figures(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            return plan.read(file.name)

    def test_a_file_changes_what_it_names_and_nothing_else(self):
        self.assertEqual(self.read("[gpu]\nusd_per_hour = 9.5\n"), changed("gpu", usd_per_hour=9.5))
        for unknown in ("[gpu]\nusd_per_day = 9.5\n", "[cpu]\nusd = 1\n", "gpu = 1\n", "[gpu]\nbusy = 'much'\n"):
            with self.assertRaises(SystemExit):
                self.read(unknown)

    def test_what_no_plan_can_be_made_from_is_refused_by_name(self):
        plan.check(plan.read())
        refused = [("question", "debates", 0), ("question", "hours", 0.0), ("gpu", "busy", 1.5), ("plan", "shards", 0),
                   ("debate", "cached_share", 2.0)]
        for section, name, value in refused:
            with self.assertRaisesRegex(SystemExit, f"{section}.{name}"):
                plan.check(changed(section, **{name: value}))

    def test_numbers_have_three_digits_that_count(self):
        numbers = [plan.number(value) for value in (0, 0.012345, 0.5, 12.345, 123.4, 12345.6, 1234567)]
        self.assertEqual(numbers, ["0", "0.0123", "0.5", "12.3", "123", "12,346", "1,234,567"])


class Arithmetic(unittest.TestCase):
    def loads(self, figures, shape, settings):
        return {what: asked / there for what, asked, there, _ in plan.limits(figures, shape, settings)}

    def test_the_plan_stays_within_every_limit_and_a_single_cluster_does_not(self):
        figures = plan.read()
        cells, single = plan.spread_out(figures), plan.single(figures)
        planned = self.loads(figures, cells, plan.planned_settings(figures, cells))
        self.assertLessEqual(max(planned.values()), 1)
        default = list(self.loads(figures, single, plan.default_settings(figures)).values())
        self.assertGreater(default[0], 10)
        self.assertEqual(default, sorted(default, reverse=True))

    def test_all_debates_have_a_place(self):
        for debates in (1, 9_999, 10_000, 1_000_000):
            figures = changed("question", debates=debates)
            cells = plan.spread_out(figures)
            self.assertAlmostEqual(cells.debates * cells.cells, debates, places=6)
            self.assertGreaterEqual(cells.coordinators * figures.plan.max_debates, cells.debates)

    def test_less_time_takes_more_gpus_and_longer_answers_take_more_of_them(self):
        figures = plan.read()
        usual = plan.spread_out(figures).gpus
        figures.question.hours /= 2
        hurried = plan.spread_out(figures).gpus
        figures.debate.answer_tokens *= 2
        self.assertLess(usual, hurried)
        self.assertLess(hurried, plan.spread_out(figures).gpus)

    def test_a_larger_cell_comes_nearer_to_its_limits(self):
        figures, larger = plan.read(), changed("plan", debates_per_cell=50_000)
        shapes = [(one, plan.spread_out(one)) for one in (figures, larger)]
        usual, more = [self.loads(one, cells, plan.planned_settings(one, cells)) for one, cells in shapes]
        for what in ("lists of queued turns, processor seconds at one server each second", "catalogue, MiB", "memory of a gateway, GiB",
                     "messages of debates that wait, each second, at one server"):
            self.assertGreater(more[what], usual[what], what)


class Simulation(unittest.TestCase):
    def test_every_turn_that_is_asked_is_recorded_once(self):
        for places in (1, 7, 20, 10_000):
            outcome = plan.simulate(cell(places=places))
            self.assertEqual((outcome.asked, outcome.recorded), (1_000, 1_000))

    def test_more_gpus_never_mean_longer_waits_or_a_later_end(self):
        outcomes = [plan.simulate(cell(places=places)) for places in (5, 10, 20, 40, 80, 160, 320)]
        for fewer, more in zip(outcomes, outcomes[1:]):
            self.assertLessEqual(more.seconds, fewer.seconds)
            self.assertLessEqual(more.for_gpu[:2], fewer.for_gpu[:2])
        self.assertEqual(outcomes[-1].for_gpu[2], 0)

    def test_it_takes_as_long_as_the_scarcest_thing(self):
        by_gpus = plan.simulate(cell())
        self.assertGreater(by_gpus.gpu_busy, 0.9)
        self.assertTrue(0.9 < by_gpus.seconds / (1_000 * 10 / 20) < 1.2)
        by_nats = plan.simulate(cell(places=10_000, nats_seconds=4.0))
        self.assertGreater(by_nats.nats_busy, 0.9)
        self.assertGreater(by_nats.for_nats[1], by_gpus.for_nats[1])

    def test_the_same_seed_gives_the_same_and_another_seed_gives_something_else(self):
        one, same, other = plan.simulate(cell()), plan.simulate(copy.copy(cell())), plan.simulate(cell(seed=8))
        self.assertEqual(one, same)
        self.assertNotEqual(one.seconds, other.seconds)

    def test_ids_are_spread_over_all_places_and_none_is_lost(self):
        counts = plan.spread(100_000, 64, 3)
        self.assertEqual(sum(counts), 100_000)
        self.assertTrue(all(0.85 < count / (100_000 / 64) < 1.15 for count in counts))

    def test_waits_are_told_by_their_order(self):
        self.assertEqual(plan.waits([float(wait) for wait in range(100, -1, -1)]), [50, 99, 100])
        self.assertEqual(plan.waits([]), [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
