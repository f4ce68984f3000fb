import gc

from janus_bench.stopwatch import seconds_of, take_turns


def test_no_garbage_is_collected_while_a_call_is_timed():
    seen = []
    assert gc.isenabled()
    seconds = seconds_of(lambda: seen.append(gc.isenabled()))
    assert seen == [False]
    assert gc.isenabled()
    assert 0 <= seconds.clock < 1


def test_calls_take_turns():
    order = []
    times = take_turns({name: lambda name=name: order.append(name) for name in "ab"}, 2)
    assert order == ["a", "b", "a", "b"]
    assert {name: len(seconds) for name, seconds in times.items()} == {"a": 2, "b": 2}
