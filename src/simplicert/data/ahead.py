"""Reading ahead: threads prepare what one loop uses, in its order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def ahead(read: Callable[[Job], Result], jobs: Iterable[Job], threads: int) -> Iterator[Result]:
    """`read` of each job, in order; what is not used yet is at most `threads` + 1 results.

    An error is raised where its result would have been, so the first one in order is seen.
    """
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for job in jobs:
            waiting.append(pool.submit(read, job))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)  # so that an error does not wait for the rest
