"""A grid as an environment for reinforcement learning, with the interface of Gymnasium.

One step is one decision of a policy: the agent picks the order of the queue, and the jobs get windows in that order.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy

from . import Job, Reserve, RunError, View, run

#: The orders of the queue that an agent can choose from, by name: what comes first has the smallest key.
ORDERS: dict[str, Callable[[Job], float]] = {
    "arrival": lambda job: job.submitted,
    "shortest": lambda job: job.length,
    "longest": lambda job: -job.length,
    "narrowest": lambda job: job.nodes,
    "widest": lambda job: -job.nodes,
    "smallest": lambda job: job.nodes * job.length,
    "urgent": lambda job: job.deadline if job.deadline is not None else float("inf"),
    "aging": lambda job: job.length - job.waited,
}

#: What `observe` tells, in this order.
FEATURES = (
    "jobs that wait",
    "nodes they ask for, as a share of all",
    "mean length",
    "longest length",
    "mean wait so far",
    "longest wait so far",
    "share of nodes that are free now",
    "share of the time to come that is free",
)


def observe(view: View) -> numpy.ndarray:
    """The state of a grid in eight numbers: see `FEATURES`."""
    jobs, nodes = view.queue, len(view.nodes)
    start, end = numpy.asarray(view.slots.start), numpy.asarray(view.slots.end)
    free_now = float((start <= view.now).sum()) / nodes
    horizon = float(end.max()) - view.now if len(end) else 0.0
    free = float((end - start).sum()) / (nodes * horizon) if horizon > 0 else 0.0
    lengths = [job.length for job in jobs] or [0.0]
    waits = [job.waited for job in jobs] or [0.0]
    return numpy.array(
        [
            len(jobs),
            sum(job.nodes for job in jobs) / nodes,
            sum(lengths) / len(lengths),
            max(lengths),
            sum(waits) / len(waits),
            max(waits),
            free_now,
            free,
        ],
        dtype=numpy.float64,
    )


def windows_in(order: str, view: View) -> list[Reserve]:
    """Windows for the jobs that wait, in an order of `ORDERS`; equals stay in the order of the queue."""
    return view.first_windows(sorted(view.queue, key=ORDERS[order]))


class _Closed(Exception):
    """The environment was closed or reset in the middle of a world."""


class Env(gymnasium.Env):
    """One world of a scenario of a grid, which an agent schedules.

    An action is the number of an order of `orders`. The observation is what `observe` tells of the view. The reward is
    minus the time that jobs have waited since the last decision, and that those who get a window now will still wait for
    it: all rewards together are minus the waits of all jobs, but for what owners shift. A world ends with its last decision.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: str | os.PathLike[str],
        orders: Sequence[str] = ("arrival", "shortest", "smallest", "aging"),
        set: Mapping[str, Any] | None = None,
        observe: Callable[[View], numpy.ndarray] = observe,
        features: int = len(FEATURES),
    ) -> None:
        for order in orders:
            if order not in ORDERS:
                raise ValueError(f"there is no order {order!r}: give {', '.join(ORDERS)}")
        self.scenario, self.orders, self.observe = scenario, tuple(orders), observe
        self.set, self.features = dict(set or {}), features
        self.action_space = gymnasium.spaces.Discrete(len(self.orders))
        self.observation_space = gymnasium.spaces.Box(-numpy.inf, numpy.inf, (features,), numpy.float64)
        self._world: _World | None = None
        self._next_seed = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins a world: that of `seed`, or the next one."""
        super().reset(seed=seed)
        self.close()
        self._next_seed = self._next_seed if seed is None else seed
        self._world = _World(self, self._next_seed)
        self._next_seed += 1
        observation, _, is_over, info = self._world.wait()
        if is_over:
            raise RunError("no decision is asked for in this world: there are no jobs")
        return observation, info

    def step(self, action: int):
        if self._world is None:
            raise RuntimeError("the world is over: call reset first")
        if not self.action_space.contains(int(action)):
            raise ValueError(f"{action} is no action: give 0 to {len(self.orders) - 1}")
        observation, reward, is_over, info = self._world.act(int(action))
        if is_over:
            self._world = None
        return observation, reward, is_over, False, info

    def close(self) -> None:
        """Ends the world that is under way."""
        if self._world is not None:
            self._world.end()
            self._world = None


class _World:
    """A run on a thread of its own, which stops at every decision until the agent has acted."""

    def __init__(self, env: Env, seed: int) -> None:
        self.env = env
        self.asked: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.actions: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self.reward = 0.0
        # By job, the time up to which its wait is in rewards; a job that loses its window gets back what it did not wait.
        self.counted: dict[int, float] = {}
        self.last: numpy.ndarray = numpy.zeros(env.features)
        self.thread = threading.Thread(target=self._run, args=(seed,), daemon=True)
        self.thread.start()

    def _run(self, seed: int) -> None:
        env = self.env
        given = {**env.set, "sweeps": "[]", "published": "[]", "answer": "None"}
        try:
            results = run(
                env.scenario,
                set=given,
                seed=seed,
                replications=1,
                policies={"agent": self._decide},
                alone=True,
                threads=1,
                # The agent may think for as long as it likes.
                answer_within=float("inf"),
                progress=False,
            )
        except BaseException as error:  # it belongs to the thread of the agent
            self.asked.put(("failed", error))
        else:
            self.asked.put(("over", results))

    def _decide(self, view: View) -> list[Reserve]:
        now = view.now
        for job in view.queue:
            self.reward -= now - self.counted.get(job.id, job.submitted)
            self.counted[job.id] = now
        self.last = self.env.observe(view)
        self.asked.put(("decide", self.reward))
        self.reward = 0.0
        action = self.actions.get()
        if action is None:
            raise _Closed
        decided = windows_in(self.env.orders[action], view)
        for window in decided:
            self.reward -= window.start - now
            self.counted[window.job] = window.start
        return decided

    def wait(self) -> tuple[numpy.ndarray, float, bool, dict[str, Any]]:
        what, value = self.asked.get()
        if what == "failed":
            raise value
        if what == "over":
            return self.last, self.reward, True, {"results": value}
        return self.last, value, False, {}

    def act(self, action: int) -> tuple[numpy.ndarray, float, bool, dict[str, Any]]:
        self.actions.put(action)
        return self.wait()

    def end(self) -> None:
        self.actions.put(None)
        self.thread.join()


class VectorEnv(gymnasium.vector.VectorEnv):
    """Several worlds at once, each on a thread of its own. A world that is over begins anew at the next step."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, scenario: str | os.PathLike[str], worlds: int, **options: Any) -> None:
        self.envs = [Env(scenario, **options) for _ in range(worlds)]
        self.num_envs = worlds
        self.single_action_space = self.envs[0].action_space
        self.single_observation_space = self.envs[0].observation_space
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, worlds)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, worlds)
        self._is_over = [False] * worlds
        self._next_seed = 0

    def _begin(self, env: Env) -> numpy.ndarray:
        self._next_seed += 1
        return env.reset(seed=self._next_seed - 1)[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins one world in each: those of `seed` and the numbers after it."""
        self._next_seed = self._next_seed if seed is None else seed
        self._is_over = [False] * self.num_envs
        return numpy.stack([self._begin(env) for env in self.envs]), {}

    def step(self, actions: Sequence[int]):
        observations: list[numpy.ndarray] = []
        rewards = numpy.zeros(self.num_envs)
        # All worlds go on at once; only then is anyone waited for.
        for env, action in zip(self.envs, actions):
            if env._world is not None:
                env._world.actions.put(int(action))
        for index, env in enumerate(self.envs):
            if env._world is None:
                observations.append(self._begin(env))
                self._is_over[index] = False
                continue
            observation, rewards[index], self._is_over[index], _ = env._world.wait()
            observations.append(observation)
            if self._is_over[index]:
                env._world = None
        over = numpy.array(self._is_over)
        return numpy.stack(observations), rewards, over, numpy.zeros_like(over), {}

    def close(self, **options: Any) -> None:
        for env in self.envs:
            env.close()
