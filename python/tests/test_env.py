"""The environment for reinforcement learning."""

import pytest

gymnasium = pytest.importorskip("gymnasium")
numpy = pytest.importorskip("numpy")

import gridloom  # noqa: E402
from gridloom.env import FEATURES, ORDERS, windows_in  # noqa: E402


def play(env, seed, choose=lambda observation: 0):
    """One world; the sum of rewards and the results."""
    observation, _ = env.reset(seed=seed)
    total, is_over = 0.0, False
    while not is_over:
        assert env.observation_space.contains(observation)
        observation, reward, is_over, is_cut, info = env.step(choose(observation))
        assert not is_cut
        total += reward
    return total, info["results"]


def test_it_is_an_environment_of_gymnasium(grid):
    from gymnasium.utils.env_checker import check_env

    check_env(gridloom.Env(grid), skip_render_check=True)


def test_an_agent_that_always_chooses_arrival_does_as_the_policy_does(grid):
    total, results = play(gridloom.Env(grid, orders=("arrival", "shortest")), seed=5)
    other = gridloom.run(
        grid,
        alone=True,
        seed=5,
        replications=1,
        policies={"agent": lambda view: windows_in("arrival", view)},
    )
    assert results.jobs["start"].tolist() == pytest.approx(other.jobs["start"].tolist(), nan_ok=True)
    assert total < 0


def test_all_rewards_together_are_minus_the_waits_of_all_jobs(grid):
    # A table of jobs has those that are measured; here these are all.
    given = {"experiment.domains[0].owners": "[]", "experiment.flows[0].arrivals": "Batches(every: 100000, size: 12)"}
    total, results = play(gridloom.Env(grid, set=given), seed=4, choose=lambda observation: int(observation[0]) % 4)
    fates, waits = results.jobs["fate"], results.jobs["wait"].tolist()
    assert set(fates) == {"finished"} and sum(waits) > 50
    assert total == pytest.approx(-sum(waits), abs=1e-3)


def test_the_seed_decides_the_world_and_orders_matter(grid):
    crowded = {"experiment.flows[0].arrivals": "Poisson(gap: 2)"}
    env = gridloom.Env(grid, orders=("longest", "shortest"), set=crowded)
    longest, shortest = (play(env, 1, lambda _, action=action: action)[0] for action in (0, 1))
    assert shortest != longest
    assert play(env, 1, lambda _: 1)[0] == shortest
    assert play(env, 2, lambda _: 1)[0] != shortest


def test_a_world_can_be_left_in_the_middle(grid):
    env = gridloom.Env(grid)
    for _ in range(3):
        env.reset(seed=1)
        env.step(0)
    env.close()
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(0)


def test_wrong_orders_and_actions_are_refused(grid):
    with pytest.raises(ValueError, match="there is no order 'best'"):
        gridloom.Env(grid, orders=("best",))
    env = gridloom.Env(grid)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="is no action: give 0 to 3"):
        env.step(4)
    env.close()
    with pytest.raises(gridloom.ScenarioError):
        gridloom.Env("(name: 3)").reset()
    assert len(FEATURES) == 8 and "arrival" in ORDERS


def test_several_worlds_at_once_do_as_one_at_a_time(grid):
    worlds = gridloom.VectorEnv(grid, worlds=3)
    single = gridloom.Env(grid)
    observations, _ = worlds.reset(seed=7)
    assert worlds.observation_space.contains(observations)
    alone = []
    for seed in (7, 8, 9):
        first, _ = single.reset(seed=seed)
        steps = [(first.tolist(), 0.0)]
        is_over = False
        while not is_over:
            observation, reward, is_over, _, _ = single.step(1)
            steps.append((observation.tolist(), reward))
        alone.append(steps)
    together = [[(observation.tolist(), 0.0)] for observation in observations]
    is_done = [False] * 3
    while not all(is_done):
        observations, rewards, over, _, _ = worlds.step([1, 1, 1])
        for index in range(3):
            if not is_done[index]:
                together[index].append((observations[index].tolist(), float(rewards[index])))
                is_done[index] = bool(over[index])
    worlds.close()
    assert together == alone
