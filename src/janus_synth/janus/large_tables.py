"""Methods of ``Janus`` for tables larger than memory: fit a source, write rows in pieces, lazy Dask frames of rows."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from janus_synth.alerts import Alert
from janus_synth.errors import require_extra
from janus_synth.identities import least_rows
from janus_synth.janus.arguments import Seed, check_choice, check_integer
from janus_synth.janus.learning import Learning
from janus_synth.janus.rows import RowMethods
from janus_synth.model import FitSettings, Model, read_rows, update_model
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, Where, as_rules
from janus_synth.rules.language import split_keys
from janus_synth.table import Table, plain_frame
from janus_synth.table.nulls import with_null_columns

if TYPE_CHECKING:
    from janus_synth.partitions import Executor, OpenSource

PIECE_ROWS = 1_048_576
"""Rows of a piece by default."""


class LargeTableMethods(RowMethods, Learning):
    """Fitting and writing tables that do not fit in memory."""

    def _fit_source(
        self,
        data: Any,
        settings: FitSettings,
        seed: int,
        *,
        client: Any,
        sample_rows: int,
        bad_files: str,
        progress: bool | None,
    ) -> tuple[Model, tuple[Rule, ...], Table, Any, tuple[Alert, ...]]:
        """Grow trees on a sample of a source and count all its rows; links that not all rows keep are left out."""
        from janus_synth.partitions import (
            BAD_FILES,
            BadFiles,
            declared_levels,
            executor_for,
            file_alerts,
            open_source,
            partitions_of,
            warn_of_skipped,
        )

        check_choice("bad_files", bad_files, BAD_FILES)
        bad = BadFiles(bad_files)
        executor = executor_for(client, n_jobs=self.n_jobs)
        sample_rows = check_integer("sample_rows", sample_rows, low=1)
        kind, partitions = partitions_of(data, bad)
        with progress_bar("reading partitions", len(partitions), shown=progress) as advance:
            source = open_source(
                kind,
                partitions,
                executor,
                sample_rows=sample_rows,
                seed=seed,
                advance=advance,
                bad=bad,
                declared=declared_levels(self.schema),
            )
        frame = source.sampled_frame(self.schema)
        table = source.sampled_table(frame, self.schema)
        least = 1 if self.keep_rare else least_rows(table.n_rows)
        rows = with_null_columns(table, frame, least=least)
        is_sampled, source = source.is_sampled, source.without_sample()
        if is_sampled:
            model, found = self._grow_and_count(source, rows, settings, seed, executor, progress)
        else:
            model, found = self._grow(rows, settings, seed, progress, barred=(), report=True)
        self.skipped_files_ = bad.skipped
        warn_of_skipped(bad.skipped)
        alerts = file_alerts(bad.skipped, empty=source.scan.labels, null=source.scan.null)
        return model, found, table, frame, alerts

    def _grow_and_count(
        self,
        source: OpenSource,
        rows: Table,
        settings: FitSettings,
        seed: int,
        executor: Executor,
        progress: bool | None,
    ) -> tuple[Model, tuple[Rule, ...]]:
        """Grow trees on the sampled rows, then count all rows."""
        from janus_synth.partitions import contradicted_links, finish

        barred: tuple[str, ...] = ()
        while True:
            model, found = self._grow(rows, settings, seed, progress, barred=barred, report=False)
            model = model.without_counts()  # all rows will be counted, those of the sample among them
            with progress_bar("counting rows", len(source.partitions), shown=progress) as advance:
                tally = source.count(model, executor, on_violation=self.on_violation, advance=advance)
            contradicted = contradicted_links(tally)
            if not contradicted:
                return finish(model, tally, found, on_violation=self.on_violation)
            barred += contradicted

    def _update_from(self, data: Any, *, forget: bool, progress: bool | None = None) -> Model:
        """The model with the rows of a source counted, batch by batch."""
        from janus_synth.partitions import partitions_of

        model = self._model()
        _, partitions = partitions_of(data)
        with progress_bar("counting rows", len(partitions), shown=progress) as advance:
            for partition in partitions:
                for batch in partition.batches():
                    model = update_model(model, read_rows(model, batch), forget=forget)
                    forget = False
                advance(1)
        return model

    def sample_to(
        self,
        folder: str | os.PathLike[str],
        n: int,
        *,
        where: Where = None,
        format: str = "parquet",
        piece_rows: int = PIECE_ROWS,
        random_state: Seed = None,
        client: Any = None,
        progress: bool | None = None,
    ) -> list[Path]:
        """Write rows to a folder in files of ``piece_rows`` rows; together they hold the rows of ``sample(n)``.

        A run that was stopped, in whatever way, goes on when it is repeated: pieces that are complete stay, and no
        row is lost or written twice.

        Parameters
        ----------
        folder : path
            A folder that does not exist, is empty, or holds pieces of the same request.
        n : int
            Number of rows.
        where : str, Rule or list of them, optional
            Conditions, as for ``sample``.
        format : {"parquet", "csv", "arrow"}
            Format of the files.
        piece_rows : int
            Rows of a file, rounded up to whole blocks of 4,096 rows.
        random_state : int or Generator, optional
            Seed, as for ``sample``. To go on with a stopped run, give the same one.
        client : distributed.Client or address, optional
            Dask cluster that draws the pieces; all its workers must see the folder. By default threads of this process.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        list of Path
            The files in order.

        Raises
        ------
        DataError
            If the folder holds other files, or pieces of another request.

        Examples
        --------
        >>> import tempfile
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(200, random_state=0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [path.name for path in model.sample_to(folder, 10_000, piece_rows=8_192, random_state=7)]
        ['part-00000000.parquet', 'part-00000001.parquet']
        """
        from janus_synth.partitions import executor_for, open_pieces, write_pieces

        self._require_no_keys(where)
        where = split_keys(as_rules(where))[0]
        n = check_integer("n", n, low=0, what="a number of rows")
        piece_rows = check_integer("piece_rows", piece_rows, low=1)
        seed = self._sample_seed(random_state)
        request = {"seed": seed, "where": [str(rule) for rule in as_rules(where)], "model": self._fingerprint()}
        draw = self._piece_drawer(n, where, seed)
        pieces = open_pieces(folder, n, piece_rows=piece_rows, format=format, request=request)
        executor = executor_for(client, n_jobs=self.n_jobs)
        with progress_bar("writing rows", n, shown=progress) as advance:
            advance(n - sum(pieces.rows_of(number)[1] for number in pieces.remaining))
            for written in write_pieces(pieces, draw, self._model().visible_schema, executor):
                advance(written)
        return [pieces.path(number) for number in pieces.numbers]

    def apply_to(
        self,
        folder: str | os.PathLike[str],
        data: Any,
        question: str,
        *,
        random_state: Seed = None,
        client: Any = None,
        progress: bool | None = None,
    ) -> list[Path]:
        """Ask a question about every row of a source and write the answers to a folder, a file per partition.

        A run that was stopped goes on when it is repeated, as with ``sample_to``.

        Parameters
        ----------
        folder : path
            A folder that does not exist, is empty, or holds answers to the same question.
        data : source
            Rows, as for ``fit``.
        question : {"complete", "uncertainty", "anomaly_score", "log_prob"}
            ``"complete"`` writes the completed rows, ``"uncertainty"`` the measures of each row, the others a column
            of that name.
        random_state : int or Generator, optional
            Seed of completed cells. To go on with a stopped run, give the same one.
        client : distributed.Client or address, optional
            Dask cluster that works on the partitions; all its workers must see the folder.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        list of Path
            The files, in the order of the partitions.

        Examples
        --------
        >>> import tempfile
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(200, random_state=0)
        >>> model = Janus(random_state=0).fit(rows)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [path.name for path in model.apply_to(folder, [rows[:100], rows[100:]], "anomaly_score")]
        ['part-00000000.parquet', 'part-00000001.parquet']
        """
        from janus_synth.partitions import answer_path, executor_for, partitions_of, prepare_folder, write_answers

        self._model()
        check_choice("question", question, tuple(ANSWERS))
        seed = self._sample_seed(random_state)
        kind, partitions = partitions_of(data)
        request = {"question": question, "partitions": len(partitions), "seed": seed, "model": self._fingerprint()}
        prepare_folder(Path(folder), request)
        answer = partial(ANSWERS[question], self)
        with progress_bar("answering", len(partitions), shown=progress) as advance:
            executor = executor_for(client, n_jobs=self.n_jobs)
            for _ in write_answers(Path(folder), partitions, answer, kind, seed, executor):
                advance(1)
        return [answer_path(Path(folder), i) for i in range(len(partitions))]

    def sample_dask(
        self, n: int, *, where: Where = None, piece_rows: int = PIECE_ROWS, random_state: Seed = None
    ) -> Any:
        """Return a lazy Dask frame of the rows of ``sample(n)``, drawn when a partition is computed.

        Parameters
        ----------
        n : int
            Number of rows.
        where, random_state
            As for ``sample``.
        piece_rows : int
            Rows of a partition, rounded up to whole blocks of 4,096 rows.

        Returns
        -------
        dask.dataframe.DataFrame
            Needs the extra ``dask``.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(200, random_state=0))
        >>> model.sample_dask(10_000, piece_rows=4_096, random_state=7).npartitions
        3
        """
        self._model()
        dataframes = require_extra("dask.dataframe", "dask", purpose="a Dask frame")
        from janus_synth.partitions.dask_frames import lazy_frame

        n = check_integer("n", n, low=0, what="a number of rows")
        draw = self._piece_drawer(n, where, self._sample_seed(random_state))
        return lazy_frame(dataframes, draw, n, check_integer("piece_rows", piece_rows, low=1))

    def _fingerprint(self) -> str:
        """Checksum of the model."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.janus"
            self.save(path)  # type: ignore[attr-defined]
            return hashlib.sha256(path.read_bytes()).hexdigest()


def _column(model: Any, frame: Any, seed: int, *, name: str) -> Any:
    return plain_frame({name: getattr(model, name)(frame)})


ANSWERS: dict[str, Callable[[Any, Any, int], Any]] = {
    "complete": lambda model, frame, seed: model.complete(frame, random_state=seed, unknown="keep"),
    "uncertainty": lambda model, frame, seed: model.uncertainty(frame).by_row,
    "anomaly_score": partial(_column, name="anomaly_score"),
    "log_prob": partial(_column, name="log_prob"),
}
