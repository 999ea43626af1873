"""Text and tables in and out: runs and qrels, read strictly and fast, and written whole or not at all.

```
content     files to bytes: compression, encoding, what is text
trec        TREC text, by a strict fast reader and a tolerant one
delimited   CSV and TSV            tables   those, Parquet and JSON lines
memory      frames, dictionaries, rows with names
finish      columns as they came -> Run, Qrels, or a precise error
reading     read_run, read_qrels
listing     what a folder, pattern, list or dictionary stands for
naming      distinct names         stream   read_runs: parallel, in order, bounded
writing     write_run, write_qrels atomic   a file whole or not at all
```
"""

from evenscale.files.atomic import atomic
from evenscale.files.listing import RunSource, list_runs
from evenscale.files.reading import read_qrels, read_run
from evenscale.files.records import Qrels, Run, row_keys
from evenscale.files.stream import read_runs
from evenscale.files.writing import write_qrels, write_run

__all__ = [
    "Qrels",
    "Run",
    "RunSource",
    "atomic",
    "list_runs",
    "read_qrels",
    "read_run",
    "read_runs",
    "row_keys",
    "write_qrels",
    "write_run",
]
