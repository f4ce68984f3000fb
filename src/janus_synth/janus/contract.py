"""What scikit-learn asks of an estimator beside its parameters: tags, the state of the fit, and names of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.janus.fitted import Fitted


class EstimatorContract(Fitted):
    """Attributes by which scikit-learn's tools read a `Janus`; the library itself is imported only by them."""

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the training table."""
        return len(self._model().visible_schema)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns of the training table; ``x0``, ``x1``, … for an array."""
        return np.array(self._model().visible_schema.names, object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True),
        )
