"""Lists: one page at a time, or every item of every page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from typing import Any, Generic, TypeVar

from parley._request import RequestOptions
from parley._transport import AsyncTransport, Transport

Item = TypeVar("Item")


class Page(Generic[Item]):
    """One page of a list. Iterating it returns every item of this page and of all later ones."""

    items: list[Item]
    """The items of this page alone."""
    next_cursor: str | None
    """None on the last page."""

    def __init__(
        self,
        transport: Transport,
        path: str,
        query: Mapping[str, Any],
        options: RequestOptions | None,
    ) -> None:
        self._read = (transport, path, query, options)
        body = transport.json("GET", path, query=query, options=options)
        self.items = body["items"]
        self.next_cursor = body["next_cursor"]

    @classmethod
    def first(
        cls,
        transport: Transport,
        path: str,
        *,
        query: Mapping[str, Any],
        options: RequestOptions | None,
    ) -> Page[Item]:
        """Reads the first page, or the one that the cursor in `query` names."""
        return cls(transport, path, query, options)

    def next_page(self) -> Page[Item] | None:
        """Reads the next page; None after the last one."""
        if self.next_cursor is None:
            return None
        transport, path, query, options = self._read
        return Page(transport, path, {**query, "cursor": self.next_cursor}, options)

    def pages(self) -> Iterator[Page[Item]]:
        """This page and all later ones."""
        page: Page[Item] | None = self
        while page is not None:
            yield page
            page = page.next_page()

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.items


class AsyncPage(Generic[Item]):
    """One page of a list. `async for` returns every item of this page and of all later ones."""

    items: list[Item]
    """The items of this page alone."""
    next_cursor: str | None
    """None on the last page."""

    def __init__(self, source: AsyncList[Item], body: Mapping[str, Any]) -> None:
        self._source = source
        self.items = body["items"]
        self.next_cursor = body["next_cursor"]

    async def next_page(self) -> AsyncPage[Item] | None:
        """Reads the next page; None after the last one."""
        return None if self.next_cursor is None else await self._source.read(self.next_cursor)

    async def pages(self) -> AsyncIterator[AsyncPage[Item]]:
        """This page and all later ones."""
        page: AsyncPage[Item] | None = self
        while page is not None:
            yield page
            page = await page.next_page()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item


class AsyncList(Generic[Item]):
    """A list that can be awaited (its first page) or iterated (every item of every page)."""

    def __init__(
        self,
        transport: AsyncTransport,
        path: str,
        *,
        query: Mapping[str, Any],
        options: RequestOptions | None,
    ) -> None:
        self._transport = transport
        self._path = path
        self._query = query
        self._options = options

    async def read(self, cursor: str | None = None) -> AsyncPage[Item]:
        """Reads the page of a cursor; without one, the first page."""
        query = self._query if cursor is None else {**self._query, "cursor": cursor}
        body = await self._transport.json("GET", self._path, query=query, options=self._options)
        return AsyncPage(self, body)

    def __await__(self) -> Generator[Any, None, AsyncPage[Item]]:
        return self.read().__await__()

    async def pages(self) -> AsyncIterator[AsyncPage[Item]]:
        """Every page."""
        async for page in (await self.read()).pages():
            yield page

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item
