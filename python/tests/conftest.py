"""What the tests share: the scenarios of the project, and a small grid."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

GRID = """(
    name: "small",
    replications: 2,
    experiment: Grid(
        horizon: 200,
        domains: [(name: "lab", nodes: 8, owners: [(gap: Exponential(mean: 40), length: 5)])],
        flows: [(
            name: "jobs",
            arrivals: Poisson(gap: 4),
            work: Rigid(nodes: UniformInteger(low: 1, high: 4), length: Uniform(low: 5, high: 30)),
            max_price: 2,
        )],
        metascheduler: (period: 5, interval: 100),
        policies: [Easy],
    ),
)"""


@pytest.fixture
def grid() -> str:
    return GRID


@pytest.fixture
def scenarios() -> Path:
    return ROOT / "scenarios"


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples"
