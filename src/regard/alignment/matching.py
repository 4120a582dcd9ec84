"""One-to-one pairs of the greatest sum: the assignment problem.

Rows are taken in one after the other; each takes the cheapest way to a free
column, along which earlier rows give up theirs (Kuhn 1955, the Hungarian
method; the shortest ways are those of Jonker and Volgenant 1987). Cubic in the
shorter side at worst.
"""

import numpy as np
from jaxtyping import Float


def best_matching(weights: Float[np.ndarray, "row column"]) -> list[tuple[int, int]]:
    """Row and column of each pair, in the rows' order.

    Args:
        weights: What each pair is worth.
    """
    if weights.shape[0] > weights.shape[1]:
        return sorted((row, column) for column, row in best_matching(weights.T))
    cost = -weights.astype(np.float64)
    rows, columns = cost.shape
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for row in range(rows):
        _take_in(row, cost, row_price, column_price, owner)
    return sorted((int(row), column) for column, row in enumerate(owner) if row >= 0)


def _take_in(
    row: int, cost: np.ndarray, row_price: np.ndarray, column_price: np.ndarray, owner: np.ndarray
) -> None:
    """Give one more row a column; prices and owners are brought up to date."""
    columns = cost.shape[1]
    way, nearest = np.full(columns, -1), np.full(columns, np.inf)
    is_done = np.zeros(columns, bool)
    last, current = -1, row
    while True:
        reduced = cost[current] - row_price[current] - column_price
        nearer = ~is_done & (reduced < nearest)
        nearest[nearer], way[nearer] = reduced[nearer], last
        column = int(np.where(is_done, np.inf, nearest).argmin())
        step = nearest[column]
        row_price[row] += step
        row_price[owner[is_done]] += step
        column_price[is_done] -= step
        nearest[~is_done] -= step
        is_done[column] = True
        last, current = column, int(owner[column])
        if current < 0:
            break
    while last >= 0:
        before = int(way[last])
        owner[last] = row if before < 0 else owner[before]
        last = before
