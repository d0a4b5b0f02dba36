"""Build hook of the package: metadata that names the repository."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class RepositoryMetadata(MetadataHookInterface):
    """Addresses and description of the package, with links to the repository.

    GitHub Actions names the repository. A build elsewhere has no addresses, so that no package
    points to a repository that it is not from.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses and the description to the metadata of the project."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        repository = os.environ.get("GITHUB_REPOSITORY", "")
        owner, _, name = repository.partition("/")
        metadata["urls"] = {}
        if name:
            source = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
            pages = f"https://{owner}.github.io/{name}/"
            metadata["urls"] = {
                "Homepage": pages,
                "Documentation": f"{pages}docs/",
                "Source": source,
                "Issues": f"{source}/issues",
                "Changelog": f"{source}/blob/main/CHANGELOG.md",
            }
            text = re.sub(r"!\[([^\]]*)\]\((?!https?:)", rf"![\1]({source}/raw/main/", text)
            text = re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:)", rf"[\1]({source}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
