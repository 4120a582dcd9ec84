from regard.alignment import (
    Alignment as Alignment,
)
from regard.attention import (
    AdditiveScore as AdditiveScore,
)
from regard.attention import (
    Attended as Attended,
)
from regard.attention import (
    Attention as Attention,
)
from regard.attention import (
    ConcatScore as ConcatScore,
)
from regard.attention import (
    CosineScore as CosineScore,
)
from regard.attention import (
    DotScore as DotScore,
)
from regard.attention import (
    GeneralScore as GeneralScore,
)
from regard.attention import (
    Memory as Memory,
)
from regard.attention import (
    MultiHeadAttention as MultiHeadAttention,
)
from regard.attention import (
    ScaledDotScore as ScaledDotScore,
)
from regard.attention import (
    Score as Score,
)
from regard.attention import (
    Summary as Summary,
)
from regard.attention import (
    attend as attend,
)
from regard.attention import (
    causal_mask as causal_mask,
)
from regard.attention import (
    context_jacobian as context_jacobian,
)
from regard.attention import (
    length_mask as length_mask,
)
from regard.attention import (
    softmax as softmax,
)
from regard.attention import (
    sparsemax as sparsemax,
)
from regard.attention import (
    summarize as summarize,
)
from regard.errors import (
    CheckpointError as CheckpointError,
)
from regard.errors import (
    DataError as DataError,
)
from regard.errors import (
    KindError as KindError,
)
from regard.errors import (
    MissingExtraError as MissingExtraError,
)
from regard.errors import (
    RegardError as RegardError,
)
from regard.errors import (
    SettingsError as SettingsError,
)
from regard.errors import (
    ShapeError as ShapeError,
)
from regard.errors import (
    StoppedError as StoppedError,
)
from regard.errors import (
    VocabularyError as VocabularyError,
)
from regard.evaluation import (
    Evaluation as Evaluation,
)
from regard.inspection import (
    Inspection as Inspection,
)
from regard.inspection import (
    InspectionSettings as InspectionSettings,
)
from regard.model import (
    Seq2Seq as Seq2Seq,
)
from regard.predictor import (
    Prediction as Prediction,
)
from regard.predictor import (
    Predictor as Predictor,
)
from regard.predictor import (
    load as load,
)
from regard.text import (
    Pair as Pair,
)
from regard.text import (
    Vocabulary as Vocabulary,
)
from regard.training import (
    RunSettings as RunSettings,
)
from regard.training import (
    train as train,
)

__version__: str
