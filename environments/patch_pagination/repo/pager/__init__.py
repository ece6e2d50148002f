"""Pages for long lists."""

from pager.core import page_count, page_of, window

__all__ = ["page_count", "page_of", "window"]
