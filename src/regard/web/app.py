"""The application: addresses, and what each answers.

Every answer is JSON. What is wrong with a request comes back as a sentence
under `error`: 400 no UTF-8, 404 no such model or page, 405 another method,
422 not understood, 500 a mistake of the server, 503 too much to do, 504 too
late. What stands before it answers 403 to pages of others, 413 to bodies that
are too large, 421 to names that are not the server's.
"""

from collections.abc import Mapping, Sequence
from importlib import resources

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from regard.errors import RegardError, SettingsError
from regard.learn import TOPICS, lesson_on
from regard.learn.bench import look_at
from regard.predictor import Change, Predictor
from regard.text import Pair
from regard.version import VERSION
from regard.web import answers, asked
from regard.web.config import WebSettings
from regard.web.desk import BusyError, Desk, LateError
from regard.web.shield import App, Shield
from regard.web.worker import Worker

_KINDS = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}
_PLAIN = {
    "There was an error parsing the body": "the body is no JSON in UTF-8.",
    "Not Found": "there is no such address.",
    "Method Not Allowed": "this address takes another method.",
}
_STATUS: dict[type[Exception], int] = {BusyError: 503, LateError: 504}


def make_app(
    models: Mapping[str, Predictor], settings: WebSettings, hosts: Sequence[str] | None = None
) -> App:
    """The application for some models; without any it is the laboratory alone.

    Args:
        models: By their names.
        settings: Its limits.
        hosts: The names by which it may be called; any if None.
    """
    desk = Desk(settings)
    app = FastAPI(
        title="regard",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        description="Predict, and see where the decoder looked.",
    )
    _answer_errors(app)
    _add_pages(app)
    shelf = _Shelf(models, settings)
    _add_predictions(app, desk, shelf)
    _add_looks(app, desk, shelf)
    _add_status(app, desk, shelf)
    _add_lessons(app, desk, Worker("regard-lessons"))
    return Shield(app, settings.body, None if hosts is None else tuple(hosts))


class _Shelf:
    """The models, and the limits of what may be asked of them."""

    def __init__(self, models: Mapping[str, Predictor], settings: WebSettings) -> None:
        self.models, self.settings = models, settings

    def model(self, name: str | None) -> tuple[str, Predictor]:
        chosen = next(iter(self.models), "") if name is None else name
        if chosen not in self.models:
            raise HTTPException(404, f"no model {chosen!r}: expected {_listed(self.models)}.")
        return chosen, self.models[chosen]

    def check(self, model: Predictor, pairs: Sequence[Pair], beam_size: int = 1) -> None:
        """Refuse what is too long or too much, or what the model cannot read."""
        settings = self.settings
        if not 0 < len(pairs) <= settings.batch:
            raise SettingsError(f"expected 1 to {settings.batch} strings, found {len(pairs)}.")
        if beam_size > settings.beam:
            raise SettingsError(f"a beam of {beam_size}: expected {settings.beam} at most.")
        for pair in pairs:
            longest = max(len(pair.source), len(pair.target))
            if longest > settings.longest:
                raise SettingsError(
                    f"a string of {longest:,} characters: expected {settings.longest} at most."
                )
        model.check(pairs)

    def check_cells(self, cells: int) -> None:
        """Refuse more weights than an answer may hold."""
        if cells > self.settings.cells:
            raise SettingsError(
                f"alignments of about {cells:,} weights: expected {self.settings.cells:,} at most; "
                "ask for fewer strings or candidates at once."
            )


def _add_status(app: FastAPI, desk: Desk, shelf: _Shelf) -> None:
    @app.head("/health", include_in_schema=False)
    @app.get("/health", summary="Whether the server is well")
    async def health() -> answers.Table:
        return {
            "status": "ok",
            "version": VERSION,
            "models": list(shelf.models),
            "waiting": desk.waiting,
        }

    @app.get("/models", summary="The models")
    async def models() -> list[answers.Table]:
        return await desk.do(lambda: [answers.model_table(*item) for item in shelf.models.items()])


def _add_predictions(app: FastAPI, desk: Desk, shelf: _Shelf) -> None:
    @app.post("/predict", summary="Write the targets of some sources")
    async def predict(request: asked.PredictRequest) -> answers.Table:
        name, model = shelf.model(request.model)
        pairs = [asked.pair_of(one) for one in request.sources]
        shelf.check(model, pairs, max(request.beam_size, request.n_best))
        if request.alignments:
            ratio = model.settings.length_ratio
            cells = sum(len(one.source) ** 2 * ratio for one in pairs)
            shelf.check_cells(round(request.n_best * cells))
        predictions = await desk.predict(
            model,
            pairs,
            request.beam_size,
            request.n_best,
            lambda one: answers.prediction_table(one, has_alignments=request.alignments),
        )
        return {"model": name, "predictions": predictions}

    @app.post("/align", summary="Where the decoder looks while it writes given targets")
    async def align(request: asked.PairsRequest) -> answers.Table:
        name, model = shelf.model(request.model)
        answers.require_look(model, name)
        pairs = [asked.with_tags(one, one.target) for one in request.pairs]
        shelf.check(model, pairs)
        shelf.check_cells(sum(len(pair.source) * len(pair.target) for pair in pairs))
        alignments = await desk.do(
            lambda: [answers.alignment_table(one) for one in model.align(pairs)]
        )
        return {"model": name, "alignments": alignments}

    @app.post("/score", summary="The log-probability of given targets")
    async def score(request: asked.PairsRequest) -> answers.Table:
        name, model = shelf.model(request.model)
        pairs = [asked.with_tags(one, one.target) for one in request.pairs]
        shelf.check(model, pairs)
        return {"model": name, "log_probs": await desk.do(lambda: model.log_prob(pairs))}


def _add_looks(app: FastAPI, desk: Desk, shelf: _Shelf) -> None:
    @app.post("/inspect", summary="Whether the map of one string may be believed")
    async def inspect(request: asked.InspectRequest) -> object:
        name, model = shelf.model(request.model)
        answers.require_look(model, name)
        pair = asked.with_tags(request, request.target or "")
        shelf.check(model, [pair], request.beam_size)
        beam_size = request.beam_size if request.target is None else None
        return await desk.do(lambda: answers.inspected_table(model, pair, beam_size))

    @app.post("/step", summary="One step in numbers, also with weights changed by hand")
    async def step(request: asked.StepRequest) -> object:
        name, model = shelf.model(request.model)
        answers.require_look(model, name)
        pair = asked.with_tags(request, request.target)
        shelf.check(model, [pair])
        change = _change(request)
        return await desk.do(lambda: answers.step_table(model, pair, request.step, change))


def _add_lessons(app: FastAPI, desk: Desk, worker: Worker) -> None:
    kept: dict[str, answers.Table] = {}

    def computed(topic: str) -> answers.Table:
        # On one thread, so each is computed once however many ask, and none beside another.
        if topic not in kept:
            kept[topic] = answers.lesson_table(lesson_on(topic))
        return kept[topic]

    @app.post("/look", summary="One look at given keys, every stage of it")
    async def look(request: asked.LookRequest) -> object:
        bench = request.bench()
        return await desk.do(lambda: answers.looked_table(look_at(bench)))

    @app.get("/lessons", summary="The topics of the lessons")
    async def lessons() -> answers.Table:
        return {name: topic.says for name, topic in TOPICS.items()}

    @app.get("/lessons/{topic}", summary="A lesson with its numbers")
    async def lesson(topic: str) -> object:
        if topic not in TOPICS:
            raise HTTPException(404, f"no topic {topic!r}: expected {_listed(TOPICS)}.")
        return kept[topic] if topic in kept else await worker.do(lambda: computed(topic))


def _add_pages(app: FastAPI) -> None:
    files = {
        file.name: file.read_bytes()
        for file in (resources.files("regard.web") / "page").iterdir()
        if file.name.rpartition(".")[2] in _KINDS
    }

    def page(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, f"no page {name!r}.")
        return Response(files[name], media_type=_KINDS[name.rpartition(".")[2]])

    @app.head("/", include_in_schema=False)
    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return page("index.html")

    @app.get("/docs", include_in_schema=False)
    async def documentation() -> Response:
        return page("docs.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def file(name: str) -> Response:
        return page(name)


def _answer_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return _error(422, _sentence(error))

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return _error(error.status_code, _PLAIN.get(str(error.detail), str(error.detail)))

    @app.exception_handler(RegardError)
    async def failed(_: Request, error: Exception) -> JSONResponse:
        return _error(_STATUS.get(type(error), 422), str(error))

    @app.exception_handler(Exception)
    async def failed_otherwise(_: Request, error: Exception) -> JSONResponse:
        return _error(500, f"the server made a mistake: {type(error).__name__}.")


def _error(status: int, text: str) -> JSONResponse:
    headers = {"retry-after": "1"} if status == 503 else None
    return JSONResponse({"error": text}, status, headers)


def _sentence(error: RequestValidationError) -> str:
    found = error.errors()[0]
    if found["type"] == "json_invalid":
        return "the body is no JSON."
    parts = [str(part) for part in found["loc"]]
    place = ".".join(
        part for part in parts if (part != "body" and part.isidentifier()) or part.isdigit()
    )
    said = str(found["msg"]).removeprefix("Value error, ")
    return f"{place or 'the body'}: {said[:1].lower()}{said[1:]}."


def _change(request: asked.StepRequest) -> Change | None:
    if not request.erased and not request.moved:
        return None
    for place in request.moved:
        if not (place.isascii() and place.isdecimal() and len(place) < 8):
            raise SettingsError(f"moved: {place!r} is no source position.")
    return Change(
        tuple(request.erased), {int(place): share for place, share in request.moved.items()}
    )


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(repr(name) for name in names) or "none, for there is no model"
