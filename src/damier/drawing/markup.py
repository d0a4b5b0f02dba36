"""Text in SVG. The library's module for XML is not part of the site in a browser."""


def escape(text: str) -> str:
    """Return a text with the characters replaced that have a meaning in XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
